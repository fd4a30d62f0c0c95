// SPDX-License-Identifier: Apache-2.0
// LogBuffer: a ring with the newest output lines of all hosts, in order of arrival. The oldest lines are
// dropped here but stay in the run's event files. Line numbers are zero-based, cover the whole run and never
// change. RunFeed fills the buffer, LogView shows it. UI thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "ui/run/ansi_text.h"

namespace lockstep {

enum class LogTone : uint8_t {
    output, // printed by the program
    note,   // `note` and all following values are messages from Lockstep
    good,
    warn,
    bad
};

struct LogLine {
    int64_t time_ns = 0; // Unix epoch, host clock
    uint32_t host = 0;   // index of the host in the run
    LogTone tone = LogTone::output;
    AnsiText content;
};

class LogBuffer {
  public:
    static constexpr size_t kMaxLines = 200'000;
    static constexpr size_t kMaxBytes = 64 << 20; // bytes of text
    // A longer line is cut; its rest is only in the host's log file.
    static constexpr size_t kMaxLineBytes = 4096;

    explicit LogBuffer(size_t maxLines = kMaxLines, size_t maxBytes = kMaxBytes)
        : m_maxLines(maxLines), m_maxBytes(maxBytes)
    {
    }

    // Adds the lines in `text`. Lines end with \n, or with \r for progress bars. If \r overwrites a line,
    // only its last version within `text` is added.
    void add(uint32_t host, int64_t time_ns, LogTone tone, std::string_view text);
    void clear();

    // The buffer contains lines [first, end); `first` is also the number of dropped lines.
    uint64_t first() const { return m_dropped; }
    uint64_t end() const { return m_dropped + m_lines.size(); }
    // Returns the first line that the host printed at this time (Unix epoch, host clock) or later and that
    // contains the text; without such a line, the first line at this time or later, or else the last line of
    // the host. nullopt if the host has no line. O(lines).
    std::optional<uint64_t> find(uint32_t host, int64_t time_ns, std::string_view text) const;
    const LogLine& line(uint64_t number) const { return m_lines[number - m_dropped]; }

  private:
    void addLine(uint32_t host, int64_t time_ns, LogTone tone, std::string_view line);

    size_t m_maxLines;
    size_t m_maxBytes;
    std::deque<LogLine> m_lines;
    size_t m_bytes = 0;
    uint64_t m_dropped = 0;
};

} // namespace lockstep
