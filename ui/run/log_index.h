// SPDX-License-Identifier: Apache-2.0
// LogIndex: the lines of a LogBuffer that are displayed, and the lines that match the search. It processes
// the buffer in bounded portions, so a new search over many lines does not block the window. UI thread.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ui/run/log_buffer.h"

namespace lockstep {

struct LogQuery {
    std::optional<uint32_t> host = std::nullopt; // empty for all hosts
    std::string text = {};                       // search text, ASCII case-insensitive; empty for no search
    bool isFilter = false;                       // show only matching lines
    std::optional<int64_t> rank = std::nullopt;  // empty for all lines, including those without a known rank
    std::optional<LogStream> stream = std::nullopt; // empty for all streams

    // Returns whether every line is shown.
    bool isEveryLine() const { return !host && !rank && !stream && !(isFilter && !text.empty()); }

    friend bool operator==(const LogQuery&, const LogQuery&) = default;
};

class LogIndex {
  public:
    // Sets the query. If the query is different from the current one, all results are discarded.
    void setQuery(const LogQuery& query);
    const LogQuery& query() const { return m_query; }

    // Indexes at most maxLines new lines, updates the lines that were rewritten, and drops the lines that the
    // buffer dropped. Returns true if the index is now up to date.
    bool follow(const LogBuffer& buffer, size_t maxLines);

    // Returns the number of shown lines; row r shows the line number(r).
    size_t rows() const;
    uint64_t number(size_t row) const;
    // Returns the first row whose line number is at least `number`, or rows() if there is none.
    size_t rowFrom(uint64_t number) const;

    const std::deque<uint64_t>& matches() const { return m_matches; } // line numbers, ascending
    // Returns the byte positions of the search text in a line, ascending.
    std::vector<size_t> positions(const LogLine& line) const;

  private:
    void reset();
    bool isAdmitted(const LogBuffer& buffer, const LogLine& line) const;
    bool isMatch(const LogLine& line) const;
    void updateLine(const LogBuffer& buffer, uint64_t number);

    LogQuery m_query;
    uint64_t m_first = 0, m_end = 0; // lines that were in the buffer at the last follow()
    uint64_t m_indexedEnd = 0;       // lines with a smaller number are indexed
    uint64_t m_changesEnd = 0;       // changes of the buffer before this one are applied
    uint64_t m_rankVersion = 0;      // rankVersion() of the buffer at the last follow()
    std::deque<uint64_t> m_rows;     // unused while every line is shown
    std::deque<uint64_t> m_matches;
};

} // namespace lockstep
