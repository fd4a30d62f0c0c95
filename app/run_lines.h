// SPDX-License-Identifier: Apache-2.0
// RunLines: what a headless run says on standard output while it goes on: lines to read on a terminal, JSON
// lines (ASCII) elsewhere. Nothing that a host or a log says acts on the terminal. A JSON line is an event of
// a host's log with "host" in front ({"host", "seq", "t_ns", "kind", ...}), or one of Lockstep's own:
//   {"kind": "run", "id", "state", "record"}
//   {"kind": "host", "host", "state", "reason"}
//   {"kind": "problem", "host", "word", "text"}         what Lockstep itself found about a host
//   {"kind": "ledger", "summary", "entries"}            once the run has ended, and once all is collected
//   {"kind": "file", "host", "path", "state", "reason", "local_path", "size_bytes", "sha256", "rows"}
//   {"kind": "workspace", "path", "reports", "host_logs", "basis"}
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/run_workspace.h"
#include "core/remote/run.h"

namespace lockstep {

class RunLines {
  public:
    explicit RunLines(bool asJson) : m_asJson(asJson) {}

    void run(const Run& run);
    void host(const HostStatus& status); // what changed since the last call: state, reason, problems
    void event(const std::string& host, const RunEvent& event);
    void file(const LedgerEntry& entry);
    void ledger(const Ledger& ledger);
    void workspace(const std::filesystem::path& path, const WrittenWorkspace& written);
    // Why lines could not be written to standard output; empty where all were. Nothing is written after a
    // failure.
    const std::string& problem() const { return m_problem; }

  private:
    void say(std::string_view line);

    bool m_asJson;
    std::string m_problem;
    void problems(const HostStatus& status);

    std::map<std::string, std::pair<HostState, std::string>> m_told; // by host
    std::map<std::string, size_t> m_problemsTold;                    // by host
};

// What is not verified: one line for each host, state and reason, with the reports that share them.
std::vector<std::string> shortfalls(const Ledger& ledger);
// A sentence about reports that were found but not collected; empty where there are none.
std::string notCollectedText(const Ledger& ledger);

// The line a person reads for an event, of output one for each of its lines, as printable(); none for those
// that are for machines (samples, heartbeats).
std::vector<std::string> readableEvent(const std::string& host, const RunEvent& event);

} // namespace lockstep
