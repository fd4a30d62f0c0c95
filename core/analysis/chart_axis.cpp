// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/chart_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/text.h"

namespace lockstep {

namespace {

std::string tickText(double value, int decimals)
{
    if (decimals == 0 && std::abs(value) < 1e15) return groupedText(std::llround(value));
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, std::abs(value));
    return (value < 0 ? "\u2212" : "") + std::string(text.data());
}

// Returns the smallest of 1, 2, 5 times a power of ten that is at least `least`.
double roundStep(double least)
{
    const double power = std::pow(10, std::floor(std::log10(least)));
    const double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

std::vector<AxisTick> linearTicks(const ChartAxis& axis, size_t count)
{
    const double from = axis.from / axis.unit.size, to = axis.to / axis.unit.size;
    if (from == to) return {{axis.from, tickText(from, from == std::round(from) ? 0 : 3)}};
    double step = roundStep((to - from) / static_cast<double>(count));
    if (axis.scale == AxisScale::whole) step = std::max(1.0, step);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
    std::vector<AxisTick> ticks;
    for (double at = std::ceil(from / step - 1e-9); at * step <= to + step * 1e-9; ++at) {
        const double value = (at * step + 0.0) * axis.unit.size;
        if (!ticks.empty() && value <= ticks.back().value) break; // the step is too small for these numbers
        ticks.push_back({value, tickText(at * step, decimals)});
    }
    return ticks;
}

std::vector<AxisTick> logarithmicTicks(const ChartAxis& axis, size_t count)
{
    std::set<double> values;
    if (axis.to < axis.from * 10) values = {axis.from, axis.to};
    const double first = std::ceil(std::log10(axis.from) - 1e-9);
    const double last = std::floor(std::log10(axis.to) + 1e-9);
    const double every = std::ceil((last - first + 1) / static_cast<double>(count));
    for (double power = first; power <= last; power += every)
        values.insert(std::pow(10, power));
    std::vector<AxisTick> ticks;
    for (const double value : values)
        ticks.push_back({value, durationText(Duration{std::llround(value)}, 1)});
    return ticks;
}

} // namespace

AxisUnit timeUnitOf(double largest_ns)
{
    if (largest_ns >= 1e9) return {"s", 1e9};
    if (largest_ns >= 1e6) return {"ms", 1e6};
    if (largest_ns >= 1e3) return {"\u00B5s", 1e3};
    return {"ns", 1};
}

AxisUnit axisUnitOf(const TableColumn& column, double largest)
{
    if (column.type != ColumnType::time || column.unit != "ns") return {column.unit, 1};
    return timeUnitOf(largest);
}

double ChartAxis::shareOf(double value) const
{
    if (!(from < to)) return 0.5;
    if (scale != AxisScale::logarithmic) return (value - from) / (to - from);
    return value > 0 ? std::log(value / from) / std::log(to / from) : 0;
}

std::vector<AxisTick> ChartAxis::ticks(size_t count) const
{
    const bool isLogarithmic = scale == AxisScale::logarithmic;
    if (!std::isfinite(from) || !std::isfinite(to - from) || from > to || count == 0) return {};
    if (isLogarithmic && from <= 0) return {};
    return isLogarithmic ? logarithmicTicks(*this, count) : linearTicks(*this, count);
}

} // namespace lockstep
