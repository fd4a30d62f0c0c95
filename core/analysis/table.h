// SPDX-License-Identifier: Apache-2.0
// Table: what every analysis returns and every export and table view shows. Named columns with unit and
// meaning, stored column by column. Numbers are decimal fixed point, so sorting is exact and the same table
// is always the same text. Made by one analysis, then only read or reordered; movable, not copyable (it owns
// its texts). Any thread.
#pragma once

#include <cstdint>
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
    percent // doc says of what
};

struct TableColumn {
    std::string name; // without its unit: "Total Time"
    std::string unit; // "ns", "%", "MB"; empty for texts and plain counts
    ColumnType type = ColumnType::text;
    int decimals = 0; // a number is stored as value * 10^decimals
    std::string doc;  // one sentence: what it is, of what, by which rule

    std::vector<StringId> texts = {};  // by row, of type text
    std::vector<int64_t> numbers = {}; // by row, of all other types; kNoNumber = the row has none
};

inline constexpr int64_t kNoNumber = std::numeric_limits<int64_t>::min();

// Where a table's numbers come from. Every list is in a fixed order.
struct TableSource {
    std::string rows;                 // "slices of kind kernel"
    std::vector<std::string> rules;   // how they were counted, one sentence each
    std::vector<std::string> filters; // "rank=0..1", "time-range=1.5s..2s (aligned axis)"; empty: everything
    // How many rows the time range cuts, where the table was asked and tells; absent: it does not say.
    std::optional<int64_t> cut = {};
    // Why there are no rows, where the analysis knows more than that nothing was found: a sentence.
    std::string whenEmpty = {};
};

// How headers are spelled: "Total Time (ns)" as nsys stats does, or "offset_ns".
enum class HeaderStyle : uint8_t { titled, identifier };

class Table {
  public:
    Table() = default;
    Table(std::string name, std::string title) : m_name(std::move(name)), m_title(std::move(title)) {}

    const std::string& name() const { return m_name; }   // the word asked for: "cuda_gpu_kern_sum:base"
    const std::string& title() const { return m_title; } // for people: "CUDA GPU kernel summary"
    HeaderStyle headerStyle = HeaderStyle::titled;
    TableSource source;

    // Columns first, then rows. Returns the column's position.
    size_t addColumn(TableColumn column);
    // Appends a row without any value; longest is the instance that a click on the row leads to.
    void addRow(SliceRef longest = {});
    // Sets a value of the last row.
    void setText(size_t column, std::string_view text);
    void setNumber(size_t column, int64_t number);

    size_t rowCount() const { return m_longest.size(); }
    size_t columnCount() const { return m_columns.size(); }
    const TableColumn& column(size_t position) const { return m_columns[position]; }
    // Position of the column of this name, or columnCount().
    size_t columnNamed(std::string_view name) const;
    bool hasNumber(size_t column, size_t row) const;
    int64_t number(size_t column, size_t row) const { return m_columns[column].numbers[row]; }
    // The stored number divided by 10^decimals; for charts, not for texts. NaN when absent.
    double value(size_t column, size_t row) const;
    std::string_view text(size_t column, size_t row) const
    {
        return m_strings.at(m_columns[column].texts[row]);
    }
    // Text as it is, numbers with their decimals ("95.0"), "" when absent.
    std::string cell(size_t column, size_t row) const;
    // "Total Time (ns)" or "total_time_ns", by headerStyle; unit replaces the column's own unless it is
    // empty.
    std::string header(size_t column, std::string_view unit = {}) const;
    // The longest (or largest) instance that the row sums up; invalid when there is none.
    SliceRef longest(size_t row) const { return m_longest[row]; }

    // The same columns, names and source, without rows.
    Table withoutRows() const;
    void clearRows();
    // Adds the first `count` rows of a table with the same columns.
    void appendRows(const Table& page, size_t count);

    // Rows in the order of one column; equal ones keep their order, absent values come last either way.
    std::vector<uint32_t> sortedRows(size_t column, bool descending) const;
    // Puts row order[i] at i. order is a permutation of the rows, or a part of one: the others are dropped.
    void reorder(std::span<const uint32_t> order);

  private:
    std::string m_name;
    std::string m_title;
    std::vector<TableColumn> m_columns;
    std::vector<SliceRef> m_longest;
    StringPool m_strings;
};

// number * 10^-decimals as decimal text: (24878077, 1) is "2487807.7", (-5, 3) is "-0.005".
std::string fixedPointText(int64_t number, int decimals);

} // namespace lockstep
