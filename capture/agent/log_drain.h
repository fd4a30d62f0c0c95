// SPDX-License-Identifier: Apache-2.0
// LogDrain: one stream of a program on its way into a log file. Secrets are masked line by line before they
// are written, so the beginning of a line waits for its end. A full disk drops output, counted, and never
// blocks the program. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/session/config_value.h"

namespace lockstep::agent {

class LogDrain {
  public:
    // Takes the read end of the program's pipe. hidden: values by variable that the log may not contain.
    LogDrain(int pipe, const std::filesystem::path& log, TextPairs hidden = {});
    LogDrain(const LogDrain&) = delete;
    LogDrain& operator=(const LogDrain&) = delete;
    ~LogDrain();

    // Moves what is there, at most one MiB. Never waits.
    void pump();
    // Writes the beginning of a line that has no end yet.
    void flush();
    // The pipe for poll(); -1 once every writer closed it.
    int pipe() const { return m_pipe; }
    uint64_t droppedBytes() const { return m_dropped; }

  private:
    bool hasRoom();
    void take(std::string_view bytes);
    void keep(const std::string& text);

    int m_pipe = -1;
    int m_log = -1;
    TextPairs m_hidden;
    std::string m_line; // the beginning of a line
    uint64_t m_dropped = 0;
    bool m_isFull = false;
    size_t m_sinceLook = 0; // bytes written since the disk's free space was queried
    std::chrono::steady_clock::time_point m_nextLook;
};

// Free bytes below which a disk counts as full: what is left is for the end of the run's account.
inline constexpr uint64_t kLowDisk_bytes = 1024 * 1024;

} // namespace lockstep::agent
