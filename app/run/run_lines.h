// SPDX-License-Identifier: Apache-2.0
// RunLines prints the progress of a headless run on standard output: readable lines on a terminal, JSON lines
// (ASCII) elsewhere. Text from hosts and logs cannot control the terminal. A JSON line is an event of a
// host's log preceded by "host" ({"host", "seq", "t_ns", "kind", ...}), or one of Lockstep's own:
//   {"kind": "run", "id", "state", "record"}
//   {"kind": "host", "host", "state", "reason"}
//   {"kind": "problem", "host", "word", "text"}         a problem that Lockstep itself found on a host
//   {"kind": "ledger", "summary", "entries"}            after the run has ended, and after the collection
//   {"kind": "file", "host", "path", "state", "reason", "local_path", "size_bytes", "sha256", "rows"}
//   {"kind": "workspace", "path", "reports", "host_logs", "basis"}
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/run/run_workspace.h"
#include "core/remote/run.h"

namespace lockstep {

class RunLines {
  public:
    explicit RunLines(bool asJson) : m_asJson(asJson) {}

    void run(const Run& run);
    void host(const HostStatus& status); // prints changes since the last call: state, reason, problems
    void event(const std::string& host, const RunEvent& event);
    void file(const LedgerEntry& entry);
    void ledger(const Ledger& ledger);
    void workspace(const std::filesystem::path& path, const WrittenWorkspace& written);
    // Returns why lines could not be written to standard output; empty if all lines were written. Nothing is
    // written after a failure.
    const std::string& problem() const { return m_problem; }

  private:
    void print(std::string_view line);

    bool m_asJson;
    std::string m_problem;
    void problems(const HostStatus& status);

    std::map<std::string, std::pair<HostState, std::string>> m_printed; // keyed by host
    std::map<std::string, size_t> m_reportedProblems;                   // keyed by host
};

// Groups all unverified reports by host, state and reason, and returns one line per group.
std::vector<std::string> shortfalls(const Ledger& ledger);
// Returns a sentence about reports that were found but not collected; empty if there are none.
std::string notCollectedText(const Ledger& ledger);

// Returns the readable lines for an event as printable() text: one per line of program output, none for
// machine-only events (samples, heartbeats).
std::vector<std::string> readableEvent(const std::string& host, const RunEvent& event);

} // namespace lockstep
