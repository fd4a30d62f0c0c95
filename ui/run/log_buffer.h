// SPDX-License-Identifier: Apache-2.0
// LogBuffer: the newest lines of all hosts' output, in the order in which they came: a ring that forgets its
// oldest lines, which stay in the run's event files. Lines are numbered from 0 over the whole run and keep
// their number. Filled by RunFeed, shown by LogView. UI thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "ui/run/ansi_text.h"

namespace lockstep {

enum class LogTone : uint8_t {
    output, // of the program
    note,   // Lockstep's own words, as the following
    good,
    warn,
    bad
};

struct LogLine {
    int64_t time_ns = 0; // Unix epoch, the node's clock
    uint32_t host = 0;   // index in the run
    LogTone tone = LogTone::output;
    AnsiText content;
};

class LogBuffer {
  public:
    static constexpr size_t kMostLines = 200'000;
    static constexpr size_t kMostBytes = 64 << 20; // of text
    static constexpr size_t kMostLineBytes = 4096; // the rest of a line is left to the log file on the node

    explicit LogBuffer(size_t mostLines = kMostLines, size_t mostBytes = kMostBytes)
        : m_mostLines(mostLines), m_mostBytes(mostBytes)
    {
    }

    // Lines end with \n or, as progress bars print, with \r: of such a line only its last form within text
    // counts.
    void add(uint32_t host, int64_t time_ns, LogTone tone, std::string_view text);
    void clear();

    // Numbers of the lines held are [first, end); first is how many were forgotten.
    uint64_t first() const { return m_forgotten; }
    uint64_t end() const { return m_forgotten + m_lines.size(); }
    const LogLine& line(uint64_t number) const { return m_lines[number - m_forgotten]; }

  private:
    void addLine(uint32_t host, int64_t time_ns, LogTone tone, std::string_view line);

    size_t m_mostLines;
    size_t m_mostBytes;
    std::deque<LogLine> m_lines;
    size_t m_bytes = 0;
    uint64_t m_forgotten = 0;
};

} // namespace lockstep
