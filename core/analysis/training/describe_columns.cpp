// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/describe_columns.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

double quantile(const std::vector<double>& sorted, double part)
{
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const double above = sorted[std::min(below + 1, sorted.size() - 1)];
    return sorted[below] + (above - sorted[below]) * (place - static_cast<double>(below));
}

} // namespace

DescribeColumns::DescribeColumns(Table& table, std::string unit, ColumnType type, int decimals,
                                 const std::string& of)
    : m_table(table), m_first(table.columnCount()), m_scale(std::pow(10.0, decimals))
{
    table.addColumn({"count", "", ColumnType::integer, 0, "number of " + of});
    const auto add = [&](const char* name, const std::string& doc) {
        table.addColumn({name, unit, type, decimals, doc});
    };
    add("mean", "mean of " + of);
    add("std", "sample standard deviation (divisor n - 1); empty for a single value");
    add("min", "minimum of " + of);
    add("25%", "first quartile");
    add("50%", "median");
    add("75%", "third quartile");
    add("max", "maximum of " + of);
}

void DescribeColumns::set(std::vector<double>& values)
{
    m_table.setNumber(m_first, static_cast<int64_t>(values.size()));
    if (values.empty()) return;
    std::ranges::sort(values);
    const auto count = static_cast<long double>(values.size());
    long double total = 0, squares = 0;
    for (const double value : values)
        total += value;
    const long double mean = total / count;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const auto put = [&](size_t column, long double value) {
        m_table.setNumber(m_first + column, std::llround(value * static_cast<long double>(m_scale)));
    };
    put(1, mean);
    if (values.size() > 1) put(2, std::sqrt(squares / (count - 1)));
    put(3, values.front());
    put(4, quantile(values, 0.25));
    put(5, quantile(values, 0.5));
    put(6, quantile(values, 0.75));
    put(7, values.back());
}

} // namespace lockstep
