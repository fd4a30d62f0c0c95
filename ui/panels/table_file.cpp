// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/table_file.h"

#include <algorithm>
#include <charconv>

#include <QAbstractItemModel>

#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

// A number as text: "-12.50" has the digits -1250 and 2 decimals.
struct Number {
    int64_t digits = 0;
    int decimals = 0;
};

std::optional<Number> numberIn(const std::string& text)
{
    Number number;
    const size_t point = text.find('.');
    std::string digits = text;
    if (point != text.npos) {
        number.decimals = static_cast<int>(text.size() - point - 1);
        digits.erase(point, 1);
    }
    const char* const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, number.digits);
    if (digits.empty() || error != std::errc() || at != end) return std::nullopt;
    return number;
}

std::string exactText(const QModelIndex& cell)
{
    const QVariant exact = cell.data(copyRole);
    return (exact.isValid() ? exact : cell.data()).toString().toStdString();
}

// Adds decimals to a number; nullopt if it would become too large.
std::optional<int64_t> withDecimals(Number number, int decimals)
{
    for (; number.decimals < decimals; ++number.decimals) {
        if (std::abs(number.digits) > std::numeric_limits<int64_t>::max() / 10) return std::nullopt;
        number.digits *= 10;
    }
    return number.digits;
}

// Returns the values of a numeric column, or nothing for a column of texts.
std::optional<std::vector<int64_t>> numbersOf(const std::vector<std::string>& texts, int& decimals)
{
    std::vector<std::optional<Number>> read;
    decimals = 0;
    bool hasAny = false;
    for (const std::string& text : texts) {
        read.push_back(numberIn(text));
        if (!read.back() && !text.empty()) return std::nullopt;
        if (!read.back()) continue;
        hasAny = true;
        decimals = std::max(decimals, read.back()->decimals);
    }
    if (!hasAny) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const auto& number : read) {
        const auto whole = number ? withDecimals(*number, decimals) : std::optional(kNoNumber);
        if (!whole) return std::nullopt;
        numbers.push_back(*whole);
    }
    return numbers;
}

} // namespace

Table tableOfRows(const QAbstractItemModel& rows, const std::string& title)
{
    const int count = rows.rowCount();
    Table table("table", title);
    std::vector<std::vector<std::string>> texts;
    std::vector<std::optional<std::vector<int64_t>>> numbers;
    for (int column = 0; column < rows.columnCount(); ++column) {
        std::vector<std::string>& cells = texts.emplace_back();
        bool isNumeric = true;
        for (int row = 0; row < count; ++row) {
            const QModelIndex cell = rows.index(row, column);
            cells.push_back(exactText(cell));
            isNumeric &= cells.back().empty() || cell.data(numberRole).isValid();
        }
        int decimals = 0;
        numbers.push_back(isNumeric ? numbersOf(cells, decimals) : std::nullopt);
        const QVariant exact = rows.headerData(column, Qt::Horizontal, copyRole);
        const QVariant name = exact.isValid() ? exact : rows.headerData(column, Qt::Horizontal);
        table.addColumn({name.toString().toStdString(), "",
                         numbers.back() ? ColumnType::real : ColumnType::text, decimals, ""});
    }
    for (int row = 0; row < count; ++row) {
        table.addRow();
        const auto at = static_cast<size_t>(row);
        for (size_t column = 0; column < texts.size(); ++column) {
            if (numbers[column])
                table.setNumber(column, (*numbers[column])[at]);
            else
                table.setText(column, texts[column][at]);
        }
    }
    return table;
}

} // namespace lockstep
