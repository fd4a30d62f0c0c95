// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/duration_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {

namespace {

int64_t saturated(__int128 value)
{
    constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::clamp<__int128>(value, -kMost, kMost));
}

int64_t medianTwiceOf(std::span<int64_t> values)
{
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? 2 * *middle : *middle + *std::max_element(values.begin(), middle);
}

// Squares are taken of the distance to the rounded mean, which keeps them small enough to be summed exactly.
long double sampleDeviation(std::span<const int64_t> values, int64_t center)
{
    constexpr int64_t kExactLimit = int64_t(1) << 47; // its square times 2^33 values fits 128 bits
    __int128 sum = 0, squares = 0;
    long double wideSquares = 0;
    for (const int64_t value : values) {
        const int64_t distance = value - center;
        sum += distance;
        if (distance > -kExactLimit && distance < kExactLimit) {
            squares += __int128(distance) * distance;
        } else {
            wideSquares += static_cast<long double>(distance) * static_cast<long double>(distance);
        }
    }
    const auto count = static_cast<long double>(values.size());
    const long double sumOfDistances = static_cast<long double>(sum);
    const long double spread =
        static_cast<long double>(squares) + wideSquares - sumOfDistances * sumOfDistances / count;
    return std::sqrt(std::max(spread, 0.0L) / (count - 1));
}

} // namespace

int64_t DurationStatistics::average(int64_t scale, int64_t unit) const
{
    return roundedQuotient(__int128(total) * scale, __int128(count) * unit);
}

int64_t DurationStatistics::median(int64_t scale, int64_t unit) const
{
    return roundedQuotient(__int128(medianTwice) * scale, __int128(2) * unit);
}

int64_t DurationStatistics::standardDeviation(int64_t scale, int64_t unit) const
{
    return static_cast<int64_t>(
        std::round(deviation * static_cast<long double>(scale) / static_cast<long double>(unit)));
}

DurationStatistics durationStatistics(std::span<int64_t> values)
{
    DurationStatistics out;
    if (values.empty()) return out;
    __int128 total = 0;
    out.minimum = out.maximum = values[0];
    for (const int64_t value : values) {
        total += value;
        out.minimum = std::min(out.minimum, value);
        out.maximum = std::max(out.maximum, value);
    }
    out.count = static_cast<int64_t>(values.size());
    out.total = saturated(total);
    out.medianTwice = medianTwiceOf(values);
    if (values.size() > 1) out.deviation = sampleDeviation(values, roundedQuotient(total, out.count));
    return out;
}

int64_t roundedQuotient(__int128 numerator, __int128 denominator)
{
    if (denominator == 0) return 0;
    const bool isNegative = (numerator < 0) != (denominator < 0);
    const __int128 top = numerator < 0 ? -numerator : numerator;
    const __int128 bottom = denominator < 0 ? -denominator : denominator;
    const __int128 quotient = top / bottom + (top % bottom * 2 >= bottom ? 1 : 0);
    return saturated(isNegative ? -quotient : quotient);
}

} // namespace lockstep
