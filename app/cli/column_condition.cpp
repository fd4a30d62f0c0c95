// SPDX-License-Identifier: Apache-2.0
#include "app/cli/column_condition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/comparison.h"
#include "core/analysis/table_header.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Normalizes a name, so that "Total Time", "total_time" and "TOTAL TIME" are equal.
std::string plainName(std::string_view name)
{
    std::string plain = lowerAscii(name);
    std::ranges::replace(plain, ' ', '_');
    return plain;
}

Result<size_t> columnOf(const FailCondition& condition, const Table& table)
{
    const std::string name = plainName(condition.column);
    std::string names;
    for (size_t c = 0; c < table.columnCount(); ++c) {
        const TableColumn& column = table.column(c);
        if (column.type == ColumnType::text) continue;
        if (name == plainName(column.name) || name == plainName(fileHeader(table, c)) ||
            name == plainName(column.name + "_" + column.unit))
            return c;
        names += (names.empty() ? "" : ", ") + column.name;
    }
    return makeError(ErrorKind::invalid, "--fail-on '" + condition.text + "': " + condition.table +
                                             " has no numeric column '" + condition.column + "'; it has " +
                                             names);
}

// Returns true if a sum of the column is meaningful. Other columns are checked row by row.
bool isSummed(const TableColumn& column)
{
    constexpr std::array<std::string_view, 10> kStatistics{"avg", "mean", "med",     "min",  "max",
                                                           "std", "ci95", "longest", "skew", "start"};
    if (column.type == ColumnType::percent || column.type == ColumnType::real || isKeyColumn(column))
        return false;
    const std::string name = plainName(column.name);
    return std::ranges::none_of(kStatistics,
                                [&](std::string_view part) { return name.find(part) != name.npos; });
}

std::string rowText(const Table& table, size_t row)
{
    std::string text;
    for (size_t c = 0; c < table.columnCount(); ++c) {
        const std::string cell = isKeyColumn(table.column(c)) ? table.cell(c, row) : std::string();
        if (!cell.empty()) text += (text.empty() ? "" : ", ") + table.column(c).name + " " + cell;
    }
    return text.empty() ? "row " + std::to_string(row + 1) : text;
}

double sumOfColumn(const Table& table, size_t column)
{
    __int128 sum = 0;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (table.hasNumber(column, row)) sum += table.number(column, row);
    }
    return static_cast<double>(sum) / std::pow(10.0, table.column(column).decimals);
}

Result<double> limitOf(const FailCondition& condition, const TableColumn& column)
{
    const bool isTime = column.type == ColumnType::time;
    if (const auto time = isTime ? parseDuration(condition.limitText) : std::nullopt)
        return static_cast<double>(*time);
    if (const auto number = isTime ? std::nullopt : parseDouble(condition.limitText)) return *number;
    return makeError(ErrorKind::invalid, "--fail-on '" + condition.text + "': '" + condition.limitText +
                                             "' is not a valid " + (isTime ? "time" : "number"));
}

std::string numberText(double value, const TableColumn& column)
{
    const std::string unit = column.unit.empty() ? "" : " " + column.unit;
    return fixedPointText(std::llround(value * std::pow(10.0, column.decimals)), column.decimals) + unit;
}

CheckedCondition checkedChange(const FailCondition& condition, const TableColumn& column,
                               const std::string& of, double before, double after)
{
    return {compares(condition.comparison, changeOf(before, after), condition.changeLimit),
            condition.name + of + " is " + numberText(after, column) + ", " + numberText(before, column) +
                " before: " + changeText(before, after)};
}

Result<CheckedCondition> checkChange(const FailCondition& condition, const Table& now, const Table& before,
                                     size_t column)
{
    const size_t earlier = before.columnNamed(now.column(column).name);
    if (earlier == before.columnCount()) {
        return makeError(ErrorKind::invalid, "--fail-on '" + condition.text + "': the baseline's " +
                                                 condition.table + " has no numeric column '" +
                                                 condition.column + "'");
    }
    if (isSummed(now.column(column)))
        return checkedChange(condition, now.column(column), "", sumOfColumn(before, earlier),
                             sumOfColumn(now, column));
    size_t compared = 0;
    for (const RowPair& pair : joinRows(before, now).pairs) {
        if (!pair.isWhole() || !now.hasNumber(column, pair.after) || !before.hasNumber(earlier, pair.before))
            continue;
        CheckedCondition row =
            checkedChange(condition, now.column(column), " of " + rowText(now, pair.after),
                          before.value(earlier, pair.before), now.value(column, pair.after));
        if (row.holds) return row;
        ++compared;
    }
    if (compared > 0) return CheckedCondition{};
    return CheckedCondition{false, "nothing was compared: no row with this value exists in both runs", true};
}

} // namespace

bool compares(Comparison comparison, long double value, long double limit)
{
    switch (comparison) {
    case Comparison::less:
        return value < limit;
    case Comparison::lessOrEqual:
        return value <= limit;
    case Comparison::equal:
        return value == limit;
    case Comparison::notEqual:
        return value != limit;
    case Comparison::greaterOrEqual:
        return value >= limit;
    case Comparison::greater:
        return value > limit;
    }
    return false;
}

double changeOf(double before, double after)
{
    return changeInPercent(before, after).value_or(after > before ? HUGE_VAL : -HUGE_VAL);
}

std::string changeText(double before, double after)
{
    const auto change = changeInPercent(before, after);
    if (!change) return "was 0";
    return (*change >= 0 ? "+" : "") + fixedPointText(std::llround(*change * 100), 2) + " %";
}

Result<CheckedCondition> checkColumn(const FailCondition& condition, const Table& now, const Table* before)
{
    const size_t column = LOCKSTEP_TRY(columnOf(condition, now));
    if (before != nullptr) return checkChange(condition, now, *before, column);
    const TableColumn& of = now.column(column);
    const double limit = LOCKSTEP_TRY(limitOf(condition, of));
    if (isSummed(of)) {
        const double sum = sumOfColumn(now, column);
        return CheckedCondition{compares(condition.comparison, sum, limit),
                                condition.name + " is " + numberText(sum, of)};
    }
    for (size_t row = 0; row < now.rowCount(); ++row) {
        if (!now.hasNumber(column, row) || !compares(condition.comparison, now.value(column, row), limit))
            continue;
        return CheckedCondition{true, condition.name + " of " + rowText(now, row) + " is " +
                                          numberText(now.value(column, row), of)};
    }
    return CheckedCondition{};
}

} // namespace lockstep
