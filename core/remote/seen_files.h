// SPDX-License-Identifier: Apache-2.0
// SeenFiles recognizes files on a shared disk that are visible on several hosts, so that each file is counted
// only once. One thread.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/remote/ledger.h"
#include "core/remote/run_event.h"

namespace lockstep {

class SeenFiles {
  public:
    // Records a file at `place`. `identity` identifies a file across hosts, either by its digest, or by inode
    // and time. If another host reported a file with the same proof, size and name, their entries are merged.
    // Returns true if the file is new. Equal files on one host stay separate.
    bool note(Ledger& ledger, const std::string& identity, int64_t size_bytes, const LedgerLocation& place);
    // Applies an event about a report (found, being recorded, at a training step, or with a problem) to the
    // ledger. Returns false for other events. isStopRequested: the run was being stopped at that time.
    bool noteEvent(Ledger& ledger, const std::string& host, const RunEvent& event, bool isStopRequested);
    // Applies a report event before digests are known. A file that was written under a temporary name and
    // then renamed ("x.json.tmp" to "x.json", same inode) is one report.
    void noteReport(Ledger& ledger, const std::string& host, const RunEvent& event, bool isStopRequested);
    // Applies only a change of the file's name. Used for a file that has already been collected.
    void noteName(Ledger& ledger, const std::string& host, const RunEvent& event);

  private:
    std::map<std::tuple<std::string, int64_t, std::string>, LedgerLocation> m_first;
    std::map<std::pair<std::string, int64_t>, std::string>
        m_growing; // path of an incomplete file, keyed by host and inode
};

} // namespace lockstep
