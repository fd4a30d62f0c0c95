// SPDX-License-Identifier: Apache-2.0
// CommandWatch writes the output of one command to the event log, and also what the lines mean. Created for
// each started command, even if an earlier supervisor started it. One thread.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "capture/agent/event_log.h"
#include "capture/agent/log_signs.h"
#include "capture/agent/log_tail.h"
#include "capture/agent/run_past.h"

namespace lockstep::agent {

class CommandWatch {
  public:
    // `reportedFailures` belongs to the run, so that each failure is reported once.
    CommandWatch(size_t index, const std::filesystem::path& folder, const RunPast::CommandPast& past,
                 EventLog& log, std::set<std::string>& reportedFailures, int64_t started_ns);

    // Reports new output, up to some MiB per call. isFinal: also reports the last unfinished line and all
    // remaining output. While the log is blocked, nothing is reported, and nothing is lost.
    void follow(bool isFinal);

  private:
    struct Stream {
        const char* name;
        LogTail tail;
        uint64_t signsTo;
    };

    void reportPiece(Stream& stream, const LogPiece& piece);
    void reportSign(const LogSign& sign, std::string_view line, Json fields);
    uint64_t allowed_bytes() const;
    bool hasRoom() const;

    size_t m_index;
    std::filesystem::path m_folder;
    int64_t m_started_ns;
    EventLog& m_log;
    std::set<std::string>& m_reportedFailures;
    std::array<Stream, 2> m_streams;
    std::optional<int64_t> m_step; // last step that was reported
    std::string m_stepMark;        // mark of the line that reported m_step
};

} // namespace lockstep::agent
