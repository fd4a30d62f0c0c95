// SPDX-License-Identifier: Apache-2.0
// ReportWatch: tells the event log which reports a run leaves and when each is complete. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "capture/agent/event_log.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_past.h"

namespace lockstep::agent {

class ReportWatch {
  public:
    // Files older than the run are told as old and not waited for. started_ns: Unix epoch.
    ReportWatch(std::vector<std::string> roots, std::filesystem::path workingFolder, int64_t started_ns,
                std::map<std::string, RunPast::Report> told, EventLog& log);

    // Scans, tells what changed, and says whether anything did.
    bool tell();
    bool areAllComplete() const { return m_open == 0; }
    // Free bytes of the disks below the folders that exist, one folder for each disk; not those of `known`.
    std::map<std::string, uint64_t> freeBytes(const std::filesystem::path& known) const;

  private:
    void tellGone(const std::vector<FoundReport>& reports);

    ReportScanner m_scanner;
    int64_t m_started_ns;
    std::map<std::string, RunPast::Report> m_told;
    EventLog& m_log;
    size_t m_open = 0; // of this run and not complete
};

// Name of a file for an event: "path", and "path_hex" where its bytes are no UTF-8.
void addPath(Json& fields, const std::filesystem::path& path);

} // namespace lockstep::agent
