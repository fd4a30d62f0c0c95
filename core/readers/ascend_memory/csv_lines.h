// SPDX-License-Identifier: Apache-2.0
// CsvLines: a text of comma-separated lines whose first names the columns, line by line. Cells may stand in
// quotes; blanks and tabs around a cell, which Ascend's profiler adds so that no spreadsheet rounds it, are
// not of it. Views live as long as the text and until the next line. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/import_notes.h"

namespace lockstep {

class CsvLines {
  public:
    explicit CsvLines(std::string_view text);

    // The place of a column; empty where the text has none of that name.
    std::optional<size_t> column(std::string_view name) const;
    size_t columnCount() const { return m_names.size(); }
    // The next line that is not empty; false after the last.
    bool next();
    // Of the current line; empty where it has fewer.
    std::string_view cell(size_t column) const
    {
        return column < m_cells.size() ? std::string_view(m_cells[column]) : std::string_view();
    }
    size_t cellCount() const { return m_cells.size(); }
    uint64_t line() const { return m_line; } // from 1
    // True when the current line has fewer cells than the first one, or a quote that does not end.
    bool isBroken() const { return m_isOpen || m_cells.size() < m_names.size(); }
    // True when the text ends within the current line.
    bool isCut() const { return m_isCut; }

  private:
    void split(std::string_view line);

    std::string_view m_rest;
    std::vector<std::string> m_names;
    std::vector<std::string> m_cells;
    uint64_t m_line = 0;
    bool m_isCut = false;
    bool m_isOpen = false; // a quote
};

// Counts the current line if it is broken: what its missing cells said is lost.
void noteBrokenLine(const CsvLines& lines, ImportNotes& notes);

} // namespace lockstep
