// SPDX-License-Identifier: Apache-2.0
// Reads operator_memory.csv: allocations of the NPU's caching allocator, each with its operator and lifetime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/import_notes.h"
#include "core/trace/report_builder.h"

namespace lockstep {

std::string_view withoutByteOrderMark(std::string_view text);

// CsvLines iterates over comma-separated lines. The first line contains the column names. Cells may be
// quoted; blanks and tabs around a cell, which Ascend's profiler adds to prevent rounding in spreadsheets,
// are removed. Views are valid until the next line. One thread.
class CsvLines {
  public:
    explicit CsvLines(std::string_view text);

    // Returns the index of the column with this name, or nullopt.
    std::optional<size_t> column(std::string_view name) const;
    size_t columnCount() const { return m_names.size(); }
    // Advances to the next nonempty line. Returns false after the last line.
    bool next();
    // Returns a cell of the current line, or an empty string if the line is too short.
    std::string_view cell(size_t column) const
    {
        return column < m_cells.size() ? std::string_view(m_cells[column]) : std::string_view();
    }
    uint64_t line() const { return m_line; } // Returns the one-based number of the current line.
    // Returns true if the current line has fewer cells than the header line, or an unclosed quote.
    bool isBroken() const { return m_isOpen || m_cells.size() < m_names.size(); }
    // Returns true if the text ends within the current line.
    bool isCut() const { return m_isCut; }

  private:
    void split(std::string_view line);

    std::string_view m_rest;
    std::vector<std::string> m_names;
    std::vector<std::string> m_cells;
    uint64_t m_line = 0;
    bool m_isCut = false;
    bool m_isOpen = false; // true inside a quote
};

// Counts the current line if it is broken, because the values of the missing cells are lost.
void noteBrokenLine(const CsvLines& lines, ImportNotes& notes);

// Adds memory blocks, and counters of the recorded totals, to the report. A block without an allocation time
// existed before the recording, and one without a release time remains until the end of the recording. Lines
// with neither are counted and omitted. Sizes are rounded to KB in the file. The only possible error is
// ErrorKind::canceled.
Status fillFromOperators(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                         const Progress& progress);

// Parses a time cell. Returns nullopt for "N/A", empty cells and anything else that is not a number.
std::optional<int64_t> ascendTime_ns(std::string_view microseconds);
// Returns number * unit_bytes, rounded.
std::optional<int64_t> ascendSize_bytes(std::string_view number, int64_t unit_bytes);
// Returns 0 for "NPU:0", or -1 if no number is given.
int32_t ascendOrdinal(std::string_view deviceType);

} // namespace lockstep
