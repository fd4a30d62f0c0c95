// SPDX-License-Identifier: Apache-2.0
// The numbers of a group of durations (or sizes) by the rules of nsys stats: total, count, average, median,
// minimum, maximum and sample standard deviation. Sums are exact integers; each number is rounded once, when
// it is shown.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

struct DurationStatistics {
    int64_t count = 0;
    int64_t total = 0; // in the unit of the values; stays at the largest int64 where a sum is larger
    int64_t minimum = 0;
    int64_t maximum = 0;
    int64_t medianTwice = 0;   // the middle value twice, or the sum of the two middle ones
    long double deviation = 0; // sample standard deviation (divisor n - 1); 0 for a single value

    friend bool operator==(const DurationStatistics&, const DurationStatistics&) = default;

    // value * scale / unit, rounded half away from zero: (10, 1) gives tenths, (1, 1000) thousands.
    int64_t average(int64_t scale, int64_t unit = 1) const;
    int64_t median(int64_t scale, int64_t unit = 1) const;
    int64_t standardDeviation(int64_t scale, int64_t unit = 1) const;
};

// All values must lie in kAllTime. A few passes over them; nothing as large as they are is copied.
DurationStatistics durationStatistics(std::span<const int64_t> values);
// The same of values that lie in several places.
DurationStatistics durationStatistics(std::span<const std::span<const int64_t>> parts);

// numerator / denominator rounded half away from zero; 0 when the denominator is 0.
int64_t roundedQuotient(__int128 numerator, __int128 denominator);

} // namespace lockstep
