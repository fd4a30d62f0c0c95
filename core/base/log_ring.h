// SPDX-License-Identifier: Apache-2.0
// LogRing: what a program has noted of its own doings lately, in memory only: the newest lines, as many as
// fit. One in the window's program and one in lockstep-agent; whoever keeps one decides what may be written
// out of it. Safe to use from several threads.
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
    explicit LogRing(size_t most_bytes = 512 * 1024) : m_most_bytes(most_bytes) {}

    // One line: the moment (UTC), the level, whose note it is, the text. What text holds from outside moves
    // no cursor and begins no second line; of a long one the beginning stays.
    void note(LogLevel level, std::string_view category, std::string_view text);
    // The lines that are left, oldest first, each with its line end; the first says how many are gone.
    std::string text() const;
    // The newest bytes, as many as `to` has room for, from the begin of a line on; how many. For a handler of
    // signals: takes no lock and no memory. A line that is being noted meanwhile may be torn.
    size_t copyTail(char* to, size_t room_bytes) const noexcept;

  private:
    static constexpr size_t kTail_bytes = 32 * 1024;

    void keepTail(std::string_view line);

    mutable std::mutex m_mutex;
    size_t m_most_bytes;
    size_t m_size_bytes = 0;
    uint64_t m_dropped = 0;
    std::deque<std::string> m_lines;
    std::array<char, kTail_bytes> m_tail{}; // the newest bytes once more, round and round
    std::atomic<uint64_t> m_tailEnd = 0;    // bytes ever put there
};

} // namespace lockstep
