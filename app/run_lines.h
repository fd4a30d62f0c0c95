// RunLines: what a headless run says on standard output while it goes on: lines to read on a terminal, JSON
// lines elsewhere. A JSON line is an event of a host's log with "host" in front ({"host", "seq", "t_ns",
// "kind", ...}), or one of Lockstep's own:
//   {"kind": "run", "id", "state", "record"}
//   {"kind": "host", "host", "state", "reason"}
//   {"kind": "ledger", "summary", "entries"}            once the run has ended, and once all is collected
//   {"kind": "file", "host", "path", "state", "reason", "local_path", "size_bytes", "sha256", "rows"}
//   {"kind": "workspace", "path", "reports", "host_logs", "basis"}
#pragma once

#include <map>
#include <string>

#include "app/run_workspace.h"
#include "core/remote/run.h"

namespace lockstep {

class RunLines {
  public:
    explicit RunLines(bool asJson) : m_asJson(asJson) {}

    void run(const Run& run);
    void host(const HostStatus& status); // when state or reason changed since the last call
    void event(const std::string& host, const RunEvent& event);
    void file(const LedgerEntry& entry);
    void ledger(const Ledger& ledger);
    void workspace(const std::filesystem::path& path, const WrittenWorkspace& written);

  private:
    void say(const std::string& line);

    bool m_asJson;
    std::map<std::string, std::pair<HostState, std::string>> m_told; // by host
};

// The line a person reads for an event; empty for those that are for machines (samples, heartbeats).
std::string readableEvent(const std::string& host, const RunEvent& event);

} // namespace lockstep
