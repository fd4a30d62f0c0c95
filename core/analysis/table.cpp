// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep {

size_t Table::addColumn(TableColumn column)
{
    m_columns.push_back(std::move(column));
    return m_columns.size() - 1;
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

std::string Table::header(size_t column, std::string_view unit) const
{
    const TableColumn& shown = m_columns[column];
    const std::string_view name = unit.empty() ? std::string_view(shown.unit) : unit;
    if (name.empty()) return shown.name;
    if (headerStyle == HeaderStyle::titled) return shown.name + " (" + std::string(name) + ")";
    return shown.name + "_" + std::string(name);
}

Table Table::withoutRows() const
{
    Table out(m_name, m_title);
    out.headerStyle = headerStyle;
    out.source = source;
    for (const TableColumn& column : m_columns)
        out.addColumn({column.name, column.unit, column.type, column.decimals, column.doc});
    return out;
}

void Table::clearRows()
{
    for (TableColumn& column : m_columns) {
        column.texts.clear();
        column.numbers.clear();
    }
    m_longest.clear();
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
    m_longest.insert(m_longest.end(), page.m_longest.begin(),
                     page.m_longest.begin() + static_cast<ptrdiff_t>(count));
}

std::vector<uint32_t> Table::sortedRows(size_t column, bool descending) const
{
    std::vector<uint32_t> order(rowCount());
    std::iota(order.begin(), order.end(), 0u);
    const TableColumn& key = m_columns[column];
    const auto isAbsent = [&](uint32_t row) {
        return key.type == ColumnType::text ? m_strings.at(key.texts[row]).empty()
                                            : key.numbers[row] == kNoNumber;
    };
    const auto isBefore = [&](uint32_t a, uint32_t b) {
        return key.type == ColumnType::text ? m_strings.at(key.texts[a]) < m_strings.at(key.texts[b])
                                            : key.numbers[a] < key.numbers[b];
    };
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
        if (isAbsent(a) || isAbsent(b)) return !isAbsent(a) && isAbsent(b);
        return descending ? isBefore(b, a) : isBefore(a, b);
    });
    return order;
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
    m_longest = reordered(m_longest);
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
