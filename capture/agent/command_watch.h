// SPDX-License-Identifier: Apache-2.0
// CommandWatch writes the output of one command to the event log, and also what the lines mean. Created for
// each started command, even if an earlier supervisor started it. One thread.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/agent/event_log.h"
#include "capture/agent/log_findings.h"
#include "capture/agent/log_tail.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_history.h"

namespace lockstep::agent {

class CommandWatch {
  public:
    // `known` is from the plan; `reportedFailures` belongs to the run, so that each failure is
    // reported once. Both must outlive this object.
    CommandWatch(size_t index, const std::filesystem::path& folder, const RunHistory::CommandHistory& history,
                 EventLog& log, const KnownLines& known, std::set<std::string>& reportedFailures,
                 int64_t started_ns);

    // Reports new output, up to some MiB per call. isFinal: also reports the last unfinished line and all
    // remaining output. While the log is blocked, nothing is reported, and nothing is lost.
    void follow(bool isFinal);

  private:
    struct Stream {
        const char* name;
        LogTail tail;
        uint64_t findingsTo;
    };

    void reportChunk(Stream& stream, const LogChunk& chunk);
    void reportFinding(const LogFinding& finding, std::string_view line, Json fields);
    uint64_t allowed_bytes() const;
    bool hasRoom() const;

    size_t m_index;
    std::filesystem::path m_folder;
    int64_t m_started_ns;
    EventLog& m_log;
    const KnownLines& m_known;
    std::set<std::string>& m_reportedFailures;
    std::array<Stream, 2> m_streams;
    std::optional<int64_t> m_step; // last step that was reported
    std::string m_stepMark;        // mark of the line that reported m_step
};

// CaptureLogWatch turns the log messages of the capture library into events of the run: for example a full
// disk, CUPTI in use by another tool, or an invalid setting. It reads the logs of all processes of the run.
// Used by the supervisor; one thread.
class CaptureLogWatch {
  public:
    // own: the log that the run's commands write to, as configured. roots: report folders, where processes
    // without that setting put their logs. reportedOffsets: the number of bytes of each log that earlier
    // events already cover.
    CaptureLogWatch(const std::filesystem::path& own, std::vector<std::string> roots,
                    std::map<std::string, uint64_t> reportedOffsets, EventLog& log);

    // Reports new messages as events of kind "error" with failure "capture_WORD", where WORD is the word that
    // the library uses. After kMaxReported events, one more event specifies the log that contains the
    // remaining messages.
    void reportNew();

    static constexpr size_t kMaxReported = 100;

  private:
    void follow(const std::filesystem::path& file);
    void reportLine(const std::filesystem::path& file, const std::string& line, uint64_t to);

    std::filesystem::path m_own;
    ReportScanner m_folders;
    std::map<std::string, uint64_t> m_reportedOffsets;
    std::map<std::string, LogTail> m_tails; // keyed by path
    EventLog& m_log;
    size_t m_reported = 0;
};

} // namespace lockstep::agent
