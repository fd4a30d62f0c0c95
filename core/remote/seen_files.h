// SPDX-License-Identifier: Apache-2.0
// SeenFiles: who told of a file first, so that a disk that several hosts see is counted once. One thread.
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
    // proof is what only the same file has on two hosts: its digest, or inode and stamp. With the size and
    // the name it says that `place` is a file that another host told of: their entries become one. True where
    // the file is not one that is known already. Files of one host with equal bytes are its own affair: they
    // are two.
    bool note(Ledger& ledger, const std::string& proof, int64_t size_bytes, const LedgerPlace& place);
    // What an event says of reports: seen, being recorded, or in trouble. False where it says nothing of
    // them.
    bool noteEvent(Ledger& ledger, const std::string& host, const RunEvent& event);
    // A host's word about a report while it runs, before there are digests. What was written under a
    // temporary name ("x.json.tmp" that becomes "x.json": one inode) is one report.
    void noteReport(Ledger& ledger, const std::string& host, const RunEvent& event);
    // Only what it says of an earlier name of the file, for one that is here already.
    void noteName(Ledger& ledger, const std::string& host, const RunEvent& event);

  private:
    std::map<std::tuple<std::string, int64_t, std::string>, LedgerPlace> m_first;
    std::map<std::pair<std::string, int64_t>, std::string>
        m_growing; // host and inode: path of what is not whole
};

} // namespace lockstep
