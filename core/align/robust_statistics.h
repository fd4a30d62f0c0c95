// SPDX-License-Identifier: Apache-2.0
// Medians and lines that single wrong values cannot pull away: what clock estimates are made of. Pure
// functions over a scratch vector that they may reorder; any thread. Values are ns as double, relative to a
// nearby origin.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// The middle value, or the mean of the two middle ones; 0 for none. Reorders values. O(n).
double median(std::span<double> values);
// 1.4826 * median |v - center|: the standard deviation of normal noise. Reorders and overwrites values.
double robustDeviation(std::span<double> values, double center);

struct WeightedValue {
    double value = 0;
    double weight = 0; // > 0
};

// The value at which half of the weight is reached. Reorders values. O(n log n).
double weightedMedian(std::span<WeightedValue> values);

// For people: "12.4 µs", of a whole number of ns.
std::string nsText(double ns);

// A point of a series sorted by x.
struct SeriesPoint {
    double x = 0;
    double y = 0;
};

// Theil-Sen's slope from the pairs (i, i + n/2) only: n/2 slopes over long spans, O(n). 0 for fewer than 2
// points or no span.
double longSpanSlope(std::span<const SeriesPoint> series, std::vector<double>& scratch);
// Median slope of pairs `reach` apart: a jump of the series enters only `reach` of its pairs.
double localSlope(std::span<const SeriesPoint> series, size_t reach, std::vector<double>& scratch);

} // namespace lockstep
