// SPDX-License-Identifier: Apache-2.0
// DurationStatistics: total, count, average, median, minimum, maximum and sample standard deviation of
// durations (or sizes), by the rules of nsys stats. Sums are exact integers. Each number is rounded only
// once, when it is displayed.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

struct DurationStatistics {
    int64_t count = 0;
    int64_t total = 0; // in the unit of the values; saturates at the largest int64
    int64_t minimum = 0;
    int64_t maximum = 0;
    int64_t doubledMedian = 0; // twice the middle value, or the sum of the two middle ones
    long double deviation = 0; // sample standard deviation (divisor n - 1); 0 for a single value

    friend bool operator==(const DurationStatistics&, const DurationStatistics&) = default;

    // Returns value * scale / unit, rounded half away from zero. (10, 1) gives tenths, (1, 1000) thousands.
    int64_t average(int64_t scale, int64_t unit = 1) const;
    int64_t median(int64_t scale, int64_t unit = 1) const;
    int64_t standardDeviation(int64_t scale, int64_t unit = 1) const;
};

// All values must be within kAllTime. Makes a few passes over the values without copying them.
DurationStatistics durationStatistics(std::span<const int64_t> values);
// Same as durationStatistics() for a single span, for values in several chunks.
DurationStatistics durationStatistics(std::span<const std::span<const int64_t>> parts);

// Returns numerator / denominator rounded half away from zero; 0 if the denominator is 0.
int64_t roundedQuotient(__int128 numerator, __int128 denominator);

} // namespace lockstep
