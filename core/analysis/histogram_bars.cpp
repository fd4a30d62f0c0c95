// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/histogram_bars.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/duration_histogram.h"

namespace lockstep {

namespace {

void fitAxes(HistogramBars& out, AxisScale scale)
{
    if (out.bars.empty()) return;
    const double from = std::ranges::min(out.bars, {}, &HistogramBars::Bar::from_ns).from_ns;
    const double to = std::ranges::max(out.bars, {}, &HistogramBars::Bar::to_ns).to_ns;
    const double largest = std::ranges::max(out.bars, {}, &HistogramBars::Bar::count).count;
    out.durations = {from, to, scale == AxisScale::linear ? timeUnitOf(to) : AxisUnit(), scale};
    out.counts = {0, largest > 0 ? largest : 1, {}, AxisScale::whole};
}

} // namespace

HistogramBars histogramBarsOf(const Table& table, const TableChart& chart, size_t namedRow)
{
    HistogramBars out;
    if (namedRow >= table.rowCount()) return out;
    const size_t count = chart.values[0], from = chart.along, to = *chart.until;
    out.name = chartLabel(table, chart, namedRow);
    out.countName = columnLabel(table, count);
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(count, row) || !table.hasNumber(from, row) || !table.hasNumber(to, row))
            continue;
        if (chartLabel(table, chart, row) != out.name) {
            ++out.otherRows;
            continue;
        }
        out.bars.push_back({table.value(from, row), table.value(to, row),
                            std::max(0.0, table.value(count, row)), static_cast<int>(row)});
    }
    fitAxes(out, AxisScale::linear);
    return out;
}

HistogramBars histogramBarsOf(const DurationHistogram& histogram)
{
    HistogramBars out;
    const auto edge = [](int bar) {
        return std::pow(10, static_cast<double>(bar) / DurationHistogram::kBarsADecade);
    };
    for (int bar = histogram.first; const uint64_t count : histogram.bars) {
        out.bars.push_back({edge(bar), edge(bar + 1), static_cast<double>(count), bar});
        ++bar;
    }
    fitAxes(out, AxisScale::logarithmic);
    return out;
}

} // namespace lockstep
