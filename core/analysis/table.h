// SPDX-License-Identifier: Apache-2.0
// Table: the result of every analysis and the input for every export and table view. Has named columns with
// unit and description. The data is stored by column. Numbers are decimal fixed point, so sorting is exact
// and equal tables give equal output. Built by one analysis, then only read or reordered. Movable but not
// copyable, because it owns its strings. Thread: any.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/workspace.h"

namespace lockstep {

enum class ColumnType : uint8_t {
    text,
    integer,
    real,   // a number with decimals
    time,   // ns; writers may convert to another unit
    bytes,  // an amount in the column's unit: "B", "MB" (10^6)
    percent // the doc states the total that is 100%
};

// The kinds of columns that views, exports and the description of a cell treat specially.
enum class ColumnMeaning : uint8_t {
    other,
    severity,
    report,         // path of the report that the row is about, or of the input that contains the report
    alignedTime,    // a point in time on the aligned axis, with the error of the report's clock
    alignedDuration // time between two points on the aligned axis, with the errors of both clocks
};

struct TableColumn {
    std::string name; // name without the unit: "Total Time"
    std::string unit; // "ns", "%", "MB"; empty for strings and plain counts
    ColumnType type = ColumnType::text;
    int decimals = 0; // a number is stored as value * 10^decimals
    std::string doc;  // one sentence that states what the column shows, for which rows, and by which rule
    ColumnMeaning meaning = ColumnMeaning::other;

    std::vector<StringId> texts = {};  // strings by row, for type text
    std::vector<int64_t> numbers = {}; // numbers by row, for all other types; kNoNumber if the row has no
                                       // value
    bool isSum = false;                // the numbers of several rows add up, see Table::markSums()
    bool isWide = false;               // a view gives the column the width that the others leave

    bool isEmpty() const; // returns true if no row has a value
};

inline constexpr int64_t kNoNumber = std::numeric_limits<int64_t>::min();

// The source of the numbers in a table. The order of every list is fixed.
struct TableSource {
    std::string rows;                 // "slices of kind kernel"
    std::vector<std::string> rules;   // counting rules, one sentence each
    std::vector<std::string> filters; // "rank=0..1", "time-range=1.5s..2s (aligned axis)"; empty: everything
    // Number of rows clipped by the time range; nullopt if the table does not report it.
    std::optional<int64_t> cut = {};
    // Sentence that explains why the table is empty. Set only if the analysis knows a more specific reason
    // than that nothing was found.
    std::string whenEmpty = {};
};

// How headers are spelled in files: "Total Time (ns)" as in nsys stats, or "offset_ns". Columns of an SQL
// result are spelled as identifiers in the window as well.
enum class HeaderStyle : uint8_t { titled, identifier, query };

class Table {
  public:
    Table() = default;
    Table(std::string name, std::string title) : m_name(std::move(name)), m_title(std::move(title)) {}

    const std::string& name() const { return m_name; }   // the request, as given: "cuda_gpu_kern_sum:base"
    const std::string& title() const { return m_title; } // displayed title: "CUDA GPU kernel summary"
    HeaderStyle headerStyle = HeaderStyle::titled;
    TableSource source;

    // Adds a column and returns its position. All columns must be added before the first row.
    size_t addColumn(TableColumn column);
    // Marks columns, by name, whose numbers add up over the rows, such as counts and sums of durations. A
    // view then shows the total of the displayed rows, and for other numeric columns their mean.
    void markSums(std::initializer_list<std::string_view> names);
    // Appends a row without values. longest: the instance that is shown when the row is clicked.
    void addRow(SliceRef longest = {});
    // Both functions set a value in the last row.
    void setText(size_t column, std::string_view text);
    void setNumber(size_t column, int64_t number);
    // Sets the time that the last row describes, if it is not that of its instance, on the clock of the
    // instance's report. A gap, for example, leads to the work after it.
    void setRange(TimeRange range);
    // Sets a note that explains the last row, in full sentences. Views show the note as a tooltip; files do
    // not contain it.
    void setNote(std::string_view note);

    size_t rowCount() const { return m_longest.size(); }
    size_t columnCount() const { return m_columns.size(); }
    const TableColumn& column(size_t position) const { return m_columns[position]; }
    // Returns the position of the column with this name, or columnCount().
    size_t columnNamed(std::string_view name) const;
    bool hasNumber(size_t column, size_t row) const;
    int64_t number(size_t column, size_t row) const { return m_columns[column].numbers[row]; }
    // Returns the stored number divided by 10^decimals; for charts, not for display strings. NaN if there is
    // no value.
    double value(size_t column, size_t row) const;
    std::string_view text(size_t column, size_t row) const
    {
        return m_strings.at(m_columns[column].texts[row]);
    }
    // Returns a cell as a string: text unchanged, numbers with their decimals ("95.0"); "" if there is no
    // value.
    std::string cell(size_t column, size_t row) const;
    // Returns the longest (or largest) instance that is included in the row; invalid if there is none.
    SliceRef longest(size_t row) const { return m_longest[row]; }
    // Returns the range given to setRange(), or nullopt.
    std::optional<TimeRange> range(size_t row) const
    {
        return row < m_ranges.size() ? m_ranges[row] : std::nullopt;
    }

    // Returns the text given to setNote(), or "".
    std::string_view note(size_t row) const
    {
        return row < m_notes.size() ? m_strings.at(m_notes[row]) : std::string_view();
    }

    // Returns a table with the same columns, names and source, but without rows.
    Table withoutRows() const;
    void clearRows();
    // Adds the first `count` rows of a table with the same columns.
    void appendRows(const Table& page, size_t count);

    // Moves row order[i] to position i. order is a permutation of all rows, or of some of them; the others
    // are dropped.
    void reorder(std::span<const uint32_t> order);

  private:
    std::string m_name;
    std::string m_title;
    std::vector<TableColumn> m_columns;
    std::vector<SliceRef> m_longest;
    std::vector<std::optional<TimeRange>> m_ranges; // empty or shorter than the rows: no range
    std::vector<StringId> m_notes;                  // empty or shorter than the rows: no note
    StringPool m_strings;
};

// Returns the rows in the order of one column; rows with equal values keep their order, and rows without a
// value come last in either direction.
std::vector<uint32_t> sortedRows(const Table& table, size_t column, bool descending);

// Formats number * 10^-decimals as a decimal number: (24878077, 1) is "2487807.7", (-5, 3) is "-0.005".
std::string fixedPointText(int64_t number, int decimals);

} // namespace lockstep
