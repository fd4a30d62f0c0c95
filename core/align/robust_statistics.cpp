// SPDX-License-Identifier: Apache-2.0
#include "core/align/robust_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kBlock = 8; // number of points that are replaced by their median
constexpr size_t kBlocksPerSide =
    4; // number of blocks compared on each side; fewer at the ends of the series
constexpr size_t kMinPoints = 64;
constexpr double kMinScore = 8;
constexpr double kMinJump_ns = 50'000;

double blockMedian(std::span<const double> blocks)
{
    std::array<double, kBlocksPerSide> copy{};
    std::ranges::copy(blocks, copy.begin());
    return median(std::span(copy).first(blocks.size()));
}

// Returns the cut, near the border of two blocks, for which the absolute deviation on both sides is smallest.
size_t refinedCut(std::span<const double> values, size_t near)
{
    const size_t begin = near > 2 * kBlock ? near - 2 * kBlock : 0;
    const size_t end = std::min(values.size(), near + 2 * kBlock);
    std::vector<double> side;
    const auto deviation = [&](size_t from, size_t to) {
        side.assign(values.begin() + static_cast<std::ptrdiff_t>(from),
                    values.begin() + static_cast<std::ptrdiff_t>(to));
        const double center = median(side);
        double sum = 0;
        for (const double v : side)
            sum += std::abs(v - center);
        return sum;
    };
    size_t best = near;
    double least = INFINITY;
    for (size_t cut = begin + 1; cut < end; ++cut) {
        const double sum = deviation(begin, cut) + deviation(cut, end);
        if (sum < least) {
            least = sum;
            best = cut;
        }
    }
    return best;
}

} // namespace

// Idea: after a robust slope is removed, a jump is a border at which the medians on both sides differ. Eight
// points form a block, and each border between blocks is tried with the medians of up to four blocks on each
// side, so single late ends do not matter. The scatter of these differences shows which size is unusual in
// this series. The exact position is the cut, within two blocks, that leaves the smallest absolute deviation
// on both sides. Invariant: a line without a jump has differences near zero, whatever its slope. Cost: O(n).
std::optional<ClockJump> findJump(std::span<const SeriesPoint> series)
{
    if (series.size() < kMinPoints) return {};
    std::vector<double> scratch;
    const double slope = localSlope(series, kBlock * kBlocksPerSide, scratch);
    std::vector<double> values;
    for (const SeriesPoint& p : series)
        values.push_back(p.y - slope * p.x);
    std::vector<double> blocks;
    for (size_t i = 0; i + kBlock <= values.size(); i += kBlock) {
        scratch.assign(values.begin() + static_cast<std::ptrdiff_t>(i),
                       values.begin() + static_cast<std::ptrdiff_t>(i + kBlock));
        blocks.push_back(median(scratch));
    }
    std::vector<double> jumps;
    const size_t first = 2;
    for (size_t b = first; b + first <= blocks.size(); ++b) {
        const size_t before = std::min(kBlocksPerSide, b);
        const size_t after = std::min(kBlocksPerSide, blocks.size() - b);
        jumps.push_back(blockMedian(std::span(blocks).subspan(b, after)) -
                        blockMedian(std::span(blocks).subspan(b - before, before)));
    }
    const auto largest = std::ranges::max_element(jumps, {}, [](double j) { return std::abs(j); });
    if (largest == jumps.end()) return {};
    const double jump = *largest;
    const size_t boundary = (static_cast<size_t>(largest - jumps.begin()) + first) * kBlock;
    scratch.assign(jumps.begin(), jumps.end());
    const double scatter = std::max(robustDeviation(scratch, 0), 100.0);
    if (std::abs(jump) < kMinJump_ns || std::abs(jump) < kMinScore * scatter) return {};
    const size_t cut = refinedCut(values, boundary);
    return ClockJump{(series[cut - 1].x + series[cut].x) / 2, jump, std::abs(jump) / scatter};
}

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
