// SPDX-License-Identifier: Apache-2.0
// LogBuffer: a ring with the newest output lines of all hosts, in order of arrival. The oldest lines are
// dropped here but stay in the run's event files. Line numbers are zero-based, cover the whole run and never
// change. RunFeed fills the buffer, LogView shows it. UI thread.
//
// Each output stream of a command has a cursor, as in a terminal: text without \n at its end leaves the line
// open, and the next text of the stream continues or overwrites it where it is in the buffer. Therefore a
// progress bar is one line, however its updates are divided into events, and also if other streams print
// meanwhile. The cursor can move up within the newest lines of its stream, as nested progress bars do. Adding
// text costs time proportional to its length.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ui/run/ansi_text.h"
#include "ui/run/log_prefix.h"

namespace lockstep {

enum class LogTone : uint8_t {
    output, // printed by the program
    note,   // `note` and all following values are messages from Lockstep
    good,
    warn,
    bad
};

enum class LogStream : uint8_t { standardOutput, standardError, messages };

struct LogLine {
    int64_t time_ns = 0; // Unix epoch, host clock; of the last change
    uint32_t host = 0;   // index of the host in the run
    LogTone tone = LogTone::output;
    LogStream stream = LogStream::messages;
    uint32_t process = 0; // index for LogBuffer::rank(); 0: unknown
    AnsiText content;
};

// Source of a program's output.
struct LogSource {
    uint32_t host = 0; // index of the host in the run
    LogStream stream = LogStream::standardOutput;
    int64_t command = 0; // index in the plan's commands

    friend auto operator<=>(const LogSource&, const LogSource&) = default;
};

// LogProcess is a process that is named by the prefixes of its lines; see log_prefix.h.
struct LogProcess {
    uint32_t host = 0; // host on which the line was printed
    std::string name;
    std::optional<int64_t> rank, localRank, pid;
    std::string ip;
};

class LogBuffer {
  public:
    static constexpr size_t kMaxLines = 200'000;
    static constexpr size_t kMaxBytes = 64 << 20; // bytes of text
    // A longer line is cut; its rest is only in the host's log file.
    static constexpr size_t kMaxLineBytes = TerminalLine::kMaxColumns;
    static constexpr size_t kMaxProcesses = 65'536; // the lines of further processes have no rank

    explicit LogBuffer(size_t maxLines = kMaxLines, size_t maxBytes = kMaxBytes)
        : m_maxLines(maxLines), m_maxBytes(maxBytes)
    {
    }

    // Adds output at the cursor of its stream. \r\n is a line end.
    void addOutput(const LogSource& source, int64_t time_ns, std::string_view text);
    // Adds the lines of a message from Lockstep.
    void addMessage(uint32_t host, int64_t time_ns, LogTone tone, std::string_view text);

    // The buffer contains lines [first, end); `first` is also the number of dropped lines.
    uint64_t first() const { return m_dropped; }
    uint64_t end() const { return m_dropped + m_lines.size(); }
    // Returns the first line that the host printed at this time (Unix epoch, host clock) or later and that
    // contains the text; without such a line, the first line at this time or later, or else the last line of
    // the host. nullopt if the host has no line. O(lines).
    std::optional<uint64_t> find(uint32_t host, int64_t time_ns, std::string_view text) const;
    const LogLine& line(uint64_t number) const { return m_lines[number - m_dropped]; }

    // Changes [firstChange, endChange) are the numbers of lines that were rewritten, in order. Changes before
    // firstChange() are no longer stored.
    uint64_t firstChange() const { return m_droppedChanges; }
    uint64_t endChange() const { return m_droppedChanges + m_changes.size(); }
    uint64_t change(uint64_t at) const { return m_changes[at - m_droppedChanges]; }

    // Returns the rank of the process that printed the line, if it is known.
    std::optional<int64_t> rank(const LogLine& line) const { return m_processes[line.process].rank; }
    // Returns the known ranks of all lines, ascending, including lines that were dropped.
    const std::set<int64_t>& ranks() const { return m_ranks; }
    // Increases whenever the rank of lines that are in the buffer becomes known.
    uint64_t rankVersion() const { return m_rankVersion; }
    // Sets the function that determines the rank of a process whose lines do not state it. It is called when
    // a process prints its first line, and by updateRanks() until it returns a rank.
    void setRankFinder(std::function<std::optional<int64_t>(const LogProcess&)> find);
    void updateRanks();
    // Returns whether the rank of a process that printed lines is not known.
    bool hasUnknownRanks() const { return m_knownRanks + 1 < m_processes.size(); }

  private:
    static constexpr size_t kScreenRows = 32;

    // Screen is the part of a stream that the program can still change.
    struct Screen {
        std::deque<uint64_t> rows; // numbers of the newest lines, ascending; at most kScreenRows
        size_t cursor = 0;         // index in rows; rows.size(): a line that does not exist yet
        TerminalLine line;         // content of the cursor's row while isLoaded
        bool isLoaded = false;
        uint32_t process = 0;
    };

    // `origin` is the line without content: its time, host and stream.
    void addLine(const LogLine& origin, std::string_view text);
    void push(LogLine line);
    void dropOldest();
    // Writes text without \n at the stream's cursor.
    void write(Screen& screen, const LogLine& origin, std::string_view text);
    void breakLine(Screen& screen, const LogLine& origin);
    void moveCursor(Screen& screen, const LogLine& origin, int64_t rows);
    // Loads the cursor's row, to which `text` is about to be written.
    void load(Screen& screen, uint32_t host, std::string_view text);
    // Stores the content of the cursor's row.
    void commit(Screen& screen, const LogLine& origin);
    void addRow(Screen& screen) const;
    void forgetDropped(Screen& screen) const;
    uint32_t processOf(std::string_view text, uint32_t host);
    void noteRank(LogProcess& process, std::optional<int64_t> rank);

    size_t m_maxLines;
    size_t m_maxBytes;
    std::deque<LogLine> m_lines;
    size_t m_bytes = 0;
    uint64_t m_dropped = 0;
    std::map<LogSource, Screen> m_screens;
    std::deque<uint64_t> m_changes;
    uint64_t m_droppedChanges = 0;
    std::deque<LogProcess> m_processes{LogProcess()};
    std::map<uint32_t, std::map<std::string, uint32_t, std::less<>>> m_processIndex; // by host and name
    uint32_t m_lastProcess = 0; // consecutive lines are often printed by the same process
    size_t m_knownRanks = 0;    // processes with a known rank
    std::set<int64_t> m_ranks;
    uint64_t m_rankVersion = 0;
    std::function<std::optional<int64_t>(const LogProcess&)> m_findRank;
};

} // namespace lockstep
