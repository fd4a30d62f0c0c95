// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace lockstep {

bool TableColumn::isEmpty() const
{
    if (type == ColumnType::text)
        return std::ranges::all_of(texts, [](StringId text) { return text == StringId(0u); });
    return std::ranges::all_of(numbers, [](int64_t number) { return number == kNoNumber; });
}

size_t Table::addColumn(TableColumn column)
{
    m_columns.push_back(std::move(column));
    return m_columns.size() - 1;
}

void Table::markSums(std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        const size_t column = columnNamed(name);
        assert(column < columnCount());
        m_columns[column].isSum = true;
    }
}

void Table::addRow(SliceRef longest)
{
    for (TableColumn& column : m_columns) {
        if (column.type == ColumnType::text) {
            column.texts.push_back(StringId(0u));
        } else {
            column.numbers.push_back(kNoNumber);
        }
    }
    m_longest.push_back(longest);
}

void Table::setRange(TimeRange range)
{
    m_ranges.resize(rowCount());
    m_ranges.back() = range;
}

void Table::setNote(std::string_view note)
{
    m_notes.resize(rowCount(), StringId(0u));
    m_notes.back() = m_strings.intern(note);
}

void Table::setText(size_t column, std::string_view text)
{
    m_columns[column].texts.back() = m_strings.intern(text);
}

void Table::setNumber(size_t column, int64_t number)
{
    m_columns[column].numbers.back() = number;
}

size_t Table::columnNamed(std::string_view name) const
{
    return static_cast<size_t>(std::ranges::find(m_columns, name, &TableColumn::name) - m_columns.begin());
}

bool Table::hasNumber(size_t column, size_t row) const
{
    return m_columns[column].type != ColumnType::text && m_columns[column].numbers[row] != kNoNumber;
}

double Table::value(size_t column, size_t row) const
{
    if (!hasNumber(column, row)) return std::nan("");
    return static_cast<double>(number(column, row)) / std::pow(10.0, m_columns[column].decimals);
}

std::string Table::cell(size_t column, size_t row) const
{
    if (m_columns[column].type == ColumnType::text) return std::string(text(column, row));
    return hasNumber(column, row) ? fixedPointText(number(column, row), m_columns[column].decimals) : "";
}

Table Table::withoutRows() const
{
    Table out(m_name, m_title);
    out.headerStyle = headerStyle;
    out.source = source;
    for (const TableColumn& column : m_columns) {
        out.addColumn({column.name, column.unit, column.type, column.decimals, column.doc, column.meaning});
        out.m_columns.back().isSum = column.isSum;
        out.m_columns.back().isWide = column.isWide;
    }
    return out;
}

void Table::clearRows()
{
    for (TableColumn& column : m_columns) {
        column.texts.clear();
        column.numbers.clear();
    }
    m_longest.clear();
    m_ranges.clear();
    m_notes.clear();
    m_strings = {};
}

void Table::appendRows(const Table& page, size_t count)
{
    for (size_t i = 0; i < m_columns.size(); ++i) {
        const TableColumn& from = page.m_columns[i];
        TableColumn& to = m_columns[i];
        for (size_t row = 0; row < count && to.type == ColumnType::text; ++row)
            to.texts.push_back(m_strings.intern(page.text(i, row)));
        if (to.type != ColumnType::text)
            to.numbers.insert(to.numbers.end(), from.numbers.begin(),
                              from.numbers.begin() + static_cast<ptrdiff_t>(count));
    }
    for (size_t row = 0; row < count; ++row) {
        m_longest.push_back(page.m_longest[row]);
        if (const auto range = page.range(row)) setRange(*range);
        if (!page.note(row).empty()) setNote(page.note(row));
    }
}

void Table::reorder(std::span<const uint32_t> order)
{
    const auto reordered = [&](const auto& values) {
        std::remove_cvref_t<decltype(values)> moved;
        moved.reserve(order.size());
        for (const uint32_t row : order)
            moved.push_back(values[row]);
        return moved;
    };
    for (TableColumn& column : m_columns) {
        if (column.type == ColumnType::text) {
            column.texts = reordered(column.texts);
        } else {
            column.numbers = reordered(column.numbers);
        }
    }
    const size_t rowsBefore = m_longest.size();
    m_longest = reordered(m_longest);
    if (!m_ranges.empty()) {
        m_ranges.resize(rowsBefore);
        m_ranges = reordered(m_ranges);
    }
    if (!m_notes.empty()) {
        m_notes.resize(rowsBefore, StringId(0u));
        m_notes = reordered(m_notes);
    }
}

std::vector<uint32_t> sortedRows(const Table& table, size_t column, bool descending)
{
    std::vector<uint32_t> order(table.rowCount());
    std::iota(order.begin(), order.end(), 0u);
    const bool isText = table.column(column).type == ColumnType::text;
    const auto isAbsent = [&](uint32_t row) {
        return isText ? table.text(column, row).empty() : table.number(column, row) == kNoNumber;
    };
    const auto isBefore = [&](uint32_t a, uint32_t b) {
        return isText ? table.text(column, a) < table.text(column, b)
                      : table.number(column, a) < table.number(column, b);
    };
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
        if (isAbsent(a) || isAbsent(b)) return !isAbsent(a) && isAbsent(b);
        return descending ? isBefore(b, a) : isBefore(a, b);
    });
    return order;
}

std::string fixedPointText(int64_t number, int decimals)
{
    const bool isNegative = number < 0;
    std::string digits =
        std::to_string(isNegative ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
    if (decimals > 0) {
        const auto places = static_cast<size_t>(decimals);
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return isNegative ? "-" + digits : digits;
}

} // namespace lockstep
