// SPDX-License-Identifier: Apache-2.0
// Medians, lines and jumps that are robust against outliers, for clock estimates. Pure functions over a
// scratch vector that they may reorder; any thread. Values are ns as double, relative to a nearby origin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// Returns the middle value, or the mean of the two middle ones; 0 for none. Reorders values. O(n).
double median(std::span<double> values);
// Returns 1.4826 * median |v - center|, which is the standard deviation for normal noise. Reorders and
// overwrites values.
double robustDeviation(std::span<double> values, double center);

struct WeightedValue {
    double value = 0;
    double weight = 0; // > 0
};

// Returns the value at which the cumulative weight reaches half of the total weight. Reorders values. O(n log
// n).
double weightedMedian(std::span<WeightedValue> values);

// Returns a duration for display, rounded to whole ns: "12.4 µs".
std::string nsText(double ns);

// A point of a series sorted by x.
struct SeriesPoint {
    double x = 0;
    double y = 0;
};

// Returns the Theil-Sen slope, computed only from the pairs (i, i + n/2), so from n/2 slopes over long spans.
// O(n). Returns 0 for fewer than 2 points or an empty span.
double longSpanSlope(std::span<const SeriesPoint> series, std::vector<double>& scratch);
// Returns the median slope of pairs that are `reach` points apart. A jump of the series affects only `reach`
// of these pairs.
double localSlope(std::span<const SeriesPoint> series, size_t reach, std::vector<double>& scratch);

// A jump in the difference between two clocks: one of them was stepped during the recording (NTP).
struct ClockJump {
    double time_ns = 0; // from this time on, the clock is ahead by jump_ns more
    double jump_ns = 0;
    double score = 0; // jump divided by the scatter of such differences

    friend bool operator==(const ClockJump&, const ClockJump&) = default;
};

// Returns the largest jump of the series (x = time, y = ns); the series may also follow a line. The jump must
// be at least 50 us and at least 8 times the scatter of differences between neighboring segments. Returns
// nullopt for fewer than 64 points in total or 16 on either side of the jump.
std::optional<ClockJump> findJump(std::span<const SeriesPoint> series);

} // namespace lockstep
