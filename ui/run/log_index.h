// SPDX-License-Identifier: Apache-2.0
// LogIndex: which lines of a LogBuffer are shown and which of them hold the text that is searched for. It
// follows the buffer in bounded portions, so that a new search over many lines never holds the window up. UI
// thread.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ui/run/log_buffer.h"

namespace lockstep {

struct LogQuery {
    std::optional<uint32_t> host; // empty: all
    std::string text;             // found in any case of ASCII letters; empty: no search
    bool isFilter = false;        // only lines that hold the text

    friend bool operator==(const LogQuery&, const LogQuery&) = default;
};

class LogIndex {
  public:
    // What was found so far is dropped unless the query is the same.
    void setQuery(const LogQuery& query);
    const LogQuery& query() const { return m_query; }

    // Takes in at most mostLines lines that it has not seen; drops what the buffer forgot. True when none are
    // left.
    bool follow(const LogBuffer& buffer, size_t mostLines);

    // Rows are the shown lines in order.
    size_t rows() const;
    uint64_t number(size_t row) const;
    // The first row whose line has this number or a later one; rows() when none has.
    size_t rowFrom(uint64_t number) const;

    const std::deque<uint64_t>& matches() const { return m_matches; } // numbers, ascending
    // Byte positions of the text in a line, ascending.
    std::vector<size_t> positions(const LogLine& line) const;

  private:
    bool isEveryLine() const { return !m_query.host && !(m_query.isFilter && !m_query.text.empty()); }

    LogQuery m_query;
    uint64_t m_first = 0, m_end = 0; // the buffer's
    uint64_t m_seen = 0;             // lines before this number were looked at
    std::deque<uint64_t> m_rows;     // unused while every line is shown
    std::deque<uint64_t> m_matches;
};

} // namespace lockstep
