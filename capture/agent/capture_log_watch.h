// SPDX-License-Identifier: Apache-2.0
// CaptureLogWatch: what Lockstep's capture library says in its log while it is in a run's processes (a full
// disk, a taken CUPTI, a setting that it does not understand) becomes events of the run. Made by the
// supervisor; one thread.
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
    // own: the log that the run's commands are told to write to. roots: report folders, where processes that
    // are told nothing leave theirs. told: bytes of each log accounted for by events of before.
    CaptureLogWatch(const std::filesystem::path& own, std::vector<std::string> roots,
                    std::map<std::string, uint64_t> told, EventLog& log);

    // Tells what is new: events of kind "error", failure "capture_" and the library's word. After kMostTold
    // of them one says that there are more, and where.
    void tell();

    static constexpr size_t kMostTold = 100;

  private:
    void follow(const std::filesystem::path& file);
    void tellLine(const std::filesystem::path& file, const std::string& line, uint64_t to);

    std::filesystem::path m_own;
    ReportScanner m_folders;
    std::map<std::string, uint64_t> m_toldBefore;
    std::map<std::string, LogTail> m_tails; // by path
    EventLog& m_log;
    size_t m_told = 0;
};

} // namespace lockstep::agent
