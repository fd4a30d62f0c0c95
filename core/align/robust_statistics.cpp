// SPDX-License-Identifier: Apache-2.0
#include "core/align/robust_statistics.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace lockstep {

namespace {

double medianSlope(std::span<const SeriesPoint> series, size_t reach, std::vector<double>& scratch)
{
    scratch.clear();
    for (size_t i = 0; i + reach < series.size(); ++i) {
        const double span = series[i + reach].x - series[i].x;
        if (span > 0) scratch.push_back((series[i + reach].y - series[i].y) / span);
    }
    return median(scratch);
}

} // namespace

std::string nsText(double ns)
{
    return durationText({static_cast<int64_t>(std::llround(ns))});
}

double median(std::span<double> values)
{
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double robustDeviation(std::span<double> values, double center)
{
    for (double& value : values)
        value = std::abs(value - center);
    return 1.4826 * median(values);
}

double weightedMedian(std::span<WeightedValue> values)
{
    if (values.empty()) return 0;
    std::ranges::sort(values, {}, &WeightedValue::value);
    double total = 0;
    for (const WeightedValue& v : values)
        total += v.weight;
    double reached = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        reached += values[i].weight;
        if (reached * 2 > total) return values[i].value;
        if (reached * 2 == total && i + 1 < values.size()) return (values[i].value + values[i + 1].value) / 2;
    }
    return values.back().value;
}

double longSpanSlope(std::span<const SeriesPoint> series, std::vector<double>& scratch)
{
    return series.size() < 2 ? 0 : medianSlope(series, series.size() / 2, scratch);
}

double localSlope(std::span<const SeriesPoint> series, size_t reach, std::vector<double>& scratch)
{
    return series.size() <= reach ? 0 : medianSlope(series, reach, scratch);
}

} // namespace lockstep
