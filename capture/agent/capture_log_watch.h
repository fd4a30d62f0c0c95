// SPDX-License-Identifier: Apache-2.0
// CaptureLogWatch turns the log messages of the capture library into events of the run: for example a full
// disk, CUPTI in use by another tool, or an invalid setting. It reads the logs of all processes of the run.
// Used by the supervisor; one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capture/agent/event_log.h"
#include "capture/agent/log_tail.h"
#include "capture/agent/report_scan.h"

namespace lockstep::agent {

class CaptureLogWatch {
  public:
    // own: the log that the run's commands write to, as configured. roots: report folders, where processes
    // without that setting put their logs. told: the number of bytes of each log that earlier events already
    // cover.
    CaptureLogWatch(const std::filesystem::path& own, std::vector<std::string> roots,
                    std::map<std::string, uint64_t> told, EventLog& log);

    // Reports new messages as events of kind "error" with failure "capture_WORD", where WORD is the word that
    // the library uses. After kMaxTold events, one more event specifies the log that contains the remaining
    // messages.
    void tell();

    static constexpr size_t kMaxTold = 100;

  private:
    void follow(const std::filesystem::path& file);
    void reportLine(const std::filesystem::path& file, const std::string& line, uint64_t to);

    std::filesystem::path m_own;
    ReportScanner m_folders;
    std::map<std::string, uint64_t> m_reportedOffsets;
    std::map<std::string, LogTail> m_tails; // keyed by path
    EventLog& m_log;
    size_t m_told = 0;
};

} // namespace lockstep::agent
