// SPDX-License-Identifier: Apache-2.0
#include "ui/models/time_column.h"

#include <cstdlib>

#include "core/align/alignment_report.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kHour_ns = 3'600'000'000'000;

} // namespace

TimeColumn::TimeColumn(int64_t longest_ns)
    : m_hasUnit(longest_ns < kHour_ns), m_unit(timeColumnUnit(static_cast<double>(longest_ns)))
{
}

TimeColumn TimeColumn::positions(int64_t last_ns)
{
    TimeColumn column(last_ns);
    column.m_unit = {"s", 9, 9};
    return column;
}

QString TimeColumn::header(const QString& title) const
{
    return m_hasUnit ? headerInUnit(title, m_unit) : title;
}

QString TimeColumn::text(int64_t ns) const
{
    if (m_hasUnit) return groupedFixedPoint(ns, m_unit.shift, m_unit.decimals);
    return QString::fromStdString(durationText({ns}, m_unit.decimals));
}

QString TimeColumn::signedText(int64_t ns) const
{
    if (ns == 0) return "0";
    return (ns > 0 ? "+" : "\u2212") + text(std::abs(ns));
}

QString TimeColumn::errorText(int64_t ns) const
{
    if (!m_hasUnit) return QString::fromStdString(lockstep::errorText(ns));
    int64_t step = 1;
    for (int digit = m_unit.decimals; digit < m_unit.shift; ++digit)
        step *= 10;
    return text((ns + step - 1) / step * step);
}

bool TimeColumn::operator==(const TimeColumn& other) const
{
    return m_hasUnit == other.m_hasUnit && m_unit == other.m_unit;
}

} // namespace lockstep
