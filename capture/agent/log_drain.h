// SPDX-License-Identifier: Apache-2.0
// LogDrain copies one output stream of a program to a log file. Secrets are masked line by line before they
// are written, so a partial line is held back until it is complete. If the disk is full, output is dropped
// and counted; the program is never blocked. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/session/config_value.h"

namespace lockstep::agent {

class LogDrain {
  public:
    // Takes ownership of the read end of the program's pipe. hidden: values that the log must not contain,
    // keyed by variable.
    LogDrain(int pipe, const std::filesystem::path& log, TextPairs hidden = {});
    LogDrain(const LogDrain&) = delete;
    LogDrain& operator=(const LogDrain&) = delete;
    ~LogDrain();

    // Copies whatever is available, up to 1 MiB. Never blocks.
    void pump();
    // Writes a partial line that has no line end yet.
    void flush();
    // Returns the pipe for poll(), or -1 once every writer has closed it.
    int pipe() const { return m_pipe; }
    uint64_t droppedBytes() const { return m_dropped; }

  private:
    bool hasRoom();
    void take(std::string_view bytes);
    void store(const std::string& text);

    int m_pipe = -1;
    int m_log = -1;
    TextPairs m_hidden;
    std::string m_line; // the beginning of an unfinished line
    uint64_t m_dropped = 0;
    bool m_isFull = false;
    size_t m_sinceCheck = 0; // bytes written since the disk's free space was queried
    std::chrono::steady_clock::time_point m_nextCheck;
};

// Free bytes below which a disk counts as full; the rest is reserved for the last events of the run.
inline constexpr uint64_t kLowDisk_bytes = 1024 * 1024;

} // namespace lockstep::agent
