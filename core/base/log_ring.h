// SPDX-License-Identifier: Apache-2.0
// LogRing: an in-memory log that keeps as many of a program's newest lines as fit. The window program and
// lockstep-agent have one each; the owner decides what may be written to disk. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace lockstep {

enum class LogLevel : uint8_t { info, warning, error };

class LogRing {
  public:
    explicit LogRing(size_t max_bytes = 512 * 1024) : m_max_bytes(max_bytes) {}

    // Adds one line with time (UTC), level, category and text. Control characters are escaped, so they cannot
    // move the cursor or start another line; long text is truncated.
    void note(LogLevel level, std::string_view category, std::string_view text);
    // Returns the lines that are still in the ring, oldest first, each with a line break. The first line
    // reports how many lines were dropped.
    std::string text() const;
    // Copies the newest bytes that fit into `to`, starting at the beginning of a line, and returns the number
    // of copied bytes. Safe in a signal handler, because it takes no lock and allocates nothing. A line that
    // is being added at the same time may be incomplete.
    size_t copyTail(char* to, size_t room_bytes) const noexcept;

  private:
    static constexpr size_t kTail_bytes = 32 * 1024;

    void appendToTail(std::string_view line);

    mutable std::mutex m_mutex;
    size_t m_max_bytes;
    size_t m_size_bytes = 0;
    uint64_t m_dropped = 0;
    std::deque<std::string> m_lines;
    std::array<char, kTail_bytes> m_tail{}; // ring buffer with a copy of the newest bytes
    std::atomic<uint64_t> m_tailEnd = 0;    // total bytes ever written to m_tail
};

} // namespace lockstep
