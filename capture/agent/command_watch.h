// SPDX-License-Identifier: Apache-2.0
// CommandWatch: tells the event log what one command prints and what the lines mean. Made for each command
// that was started, whichever supervisor started it. One thread.
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
    // `failuresTold` belongs to the run: each failure is told once.
    CommandWatch(size_t index, const std::filesystem::path& folder, const RunPast::CommandPast& past,
                 EventLog& log, std::set<std::string>& failuresTold, int64_t started_ns);

    // Tells what is new, up to some MiB a call. isFinal: the last unfinished line too, and everything that is
    // there. Nothing is told, and nothing lost, while the log is blocked.
    void follow(bool isFinal);

  private:
    struct Stream {
        const char* name;
        LogTail tail;
        uint64_t signsTo;
    };

    void tellPiece(Stream& stream, const LogPiece& piece);
    void tellSign(const LogSign& sign, std::string_view line, Json fields);
    uint64_t allowed_bytes() const;
    bool hasRoom() const;

    size_t m_index;
    std::filesystem::path m_folder;
    int64_t m_started_ns;
    EventLog& m_log;
    std::set<std::string>& m_failuresTold;
    std::array<Stream, 2> m_streams;
    std::optional<int64_t> m_step; // told last
    std::string m_stepMark;        // and what its line said of it
};

} // namespace lockstep::agent
