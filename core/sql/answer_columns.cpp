// SPDX-License-Identifier: Apache-2.0
#include "core/sql/answer_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace lockstep {

namespace {

constexpr int kMaxDecimals = 9;
constexpr double kMaxScaled = 9e18; // upper bound of an int64

double realOf(int64_t bits)
{
    return std::bit_cast<double>(bits);
}

// Returns the shortest string that parses back to the same number.
std::string realText(double value)
{
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

// Returns the number of decimals that the value needs, at most kMaxDecimals.
int decimalsOf(double value)
{
    std::array<char, 400> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
    const size_t point = digits.find('.');
    return point == digits.npos ? 0 : std::min(kMaxDecimals, static_cast<int>(digits.size() - point - 1));
}

double powerOfTen(int exponent)
{
    double power = 1;
    for (int i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

} // namespace

AnswerColumns::AnswerColumns(std::vector<std::string> names)
    : m_names(std::move(names)), m_cells(m_names.size())
{
    // JSON rows use the column names as keys, so these must be unique.
    for (size_t i = 0; i < m_names.size(); ++i) {
        const std::string plain = m_names[i];
        const auto isTaken = [&] {
            return std::find(m_names.begin(), m_names.begin() + std::ptrdiff_t(i), m_names[i]) !=
                   m_names.begin() + std::ptrdiff_t(i);
        };
        for (int n = 2; isTaken(); ++n)
            m_names[i] = plain + "_" + std::to_string(n);
    }
}

void AnswerColumns::add(size_t column, const SqlValue& value)
{
    Cells& cells = m_cells[column];
    cells.types.push_back(value.type);
    cells.bits.push_back(value.type == SqlType::integer ? value.integer
                         : value.type == SqlType::real  ? std::bit_cast<int64_t>(value.real)
                         : value.type == SqlType::text  ? int64_t(m_texts.intern(value.text).value)
                                                        : 0);
}

uint64_t AnswerColumns::bytes() const
{
    return m_rows * m_cells.size() * 9 + m_texts.residentBytes();
}

// Determines the type of a column from its cells. The type is text if the cells have different types, or if a
// number cannot be written with a fixed number of decimal places.
TableColumn AnswerColumns::described(size_t column) const
{
    const Cells& cells = m_cells[column];
    TableColumn out{m_names[column], "", ColumnType::integer, 0, "computed by the query"};
    bool hasReal = false, hasText = cells.types.empty();
    double largest = 0;
    for (size_t row = 0; row < cells.types.size(); ++row) {
        const SqlType type = cells.types[row];
        hasText |= type == SqlType::text || (type == SqlType::integer && cells.bits[row] == kNoNumber);
        if (type == SqlType::integer)
            largest = std::max(largest, std::abs(static_cast<double>(cells.bits[row])));
        if (type != SqlType::real) continue;
        hasReal = true;
        const double value = realOf(cells.bits[row]);
        hasText |= !std::isfinite(value) || (value != 0 && std::abs(value) < 1e-6);
        if (hasText) break;
        largest = std::max(largest, std::abs(value));
        out.decimals = std::max(out.decimals, decimalsOf(value));
    }
    while (hasReal && out.decimals > 0 && largest * powerOfTen(out.decimals) > kMaxScaled)
        --out.decimals;
    if (hasText || (hasReal && largest > kMaxScaled)) {
        out.type = ColumnType::text;
        out.decimals = 0;
        return out;
    }
    if (hasReal) out.type = ColumnType::real;
    if (out.name.ends_with("_ns") && out.name.size() > 3) {
        out.type = ColumnType::time;
        out.unit = "ns";
        out.name.resize(out.name.size() - 3);
    }
    return out;
}

std::string AnswerColumns::textOf(size_t column, size_t row) const
{
    const int64_t bits = m_cells[column].bits[row];
    switch (m_cells[column].types[row]) {
    case SqlType::null:
        return {};
    case SqlType::integer:
        return std::to_string(bits);
    case SqlType::real:
        return realText(realOf(bits));
    case SqlType::text:
        return std::string(m_texts.at(StringId(static_cast<uint32_t>(bits))));
    }
    return {};
}

Table AnswerColumns::table(std::string name, std::string title, size_t sliceColumn,
                           const SqlScene& scene) const
{
    Table table(std::move(name), std::move(title));
    table.headerStyle = HeaderStyle::query;
    for (size_t i = 0; i < m_cells.size(); ++i)
        table.addColumn(described(i));
    for (size_t row = 0; row < m_rows; ++row) {
        const bool leads =
            sliceColumn < m_cells.size() && m_cells[sliceColumn].types[row] == SqlType::integer;
        table.addRow(leads ? scene.sliceOf(m_cells[sliceColumn].bits[row]) : SliceRef{});
        for (size_t i = 0; i < m_cells.size(); ++i) {
            const TableColumn& column = table.column(i);
            const int64_t bits = m_cells[i].bits[row];
            if (column.type == ColumnType::text) {
                table.setText(i, textOf(i, row));
            } else if (m_cells[i].types[row] != SqlType::null) {
                const double scale = powerOfTen(column.decimals);
                table.setNumber(i, m_cells[i].types[row] == SqlType::real
                                       ? static_cast<int64_t>(std::llround(realOf(bits) * scale))
                                       : bits * static_cast<int64_t>(scale));
            }
        }
    }
    return table;
}

} // namespace lockstep
