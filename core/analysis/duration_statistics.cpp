// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/duration_statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace lockstep {

namespace {

int64_t saturated(__int128 value)
{
    constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::clamp<__int128>(value, -kMax, kMax));
}

using Parts = std::span<const std::span<const int64_t>>;

template<class Visit>
void forEachValue(Parts parts, Visit&& visit)
{
    for (const auto& part : parts) {
        for (const int64_t value : part)
            visit(value);
    }
}

// Finds the value at a given sort position, and the number of smaller values. Counting passes narrow the
// range that contains the value until sorting the remaining values is cheap.
struct Ranked {
    int64_t value = 0;
    uint64_t less = 0;
};

Ranked valueAtRank(Parts parts, uint64_t rank, int64_t low, int64_t high)
{
    constexpr int kBucketBits = 12;
    constexpr uint64_t kFew = 1 << 14;
    uint64_t below = 0; // number of values less than low
    uint64_t inside = 0;
    for (const auto& part : parts)
        inside += part.size();
    while (inside > kFew && low < high) {
        const int shift = std::max(0, int(std::bit_width(uint64_t(high - low))) - kBucketBits);
        std::array<uint64_t, size_t(1) << kBucketBits> counts{};
        forEachValue(parts, [&](int64_t value) {
            if (value >= low && value <= high) ++counts[uint64_t(value - low) >> shift];
        });
        uint64_t bucket = 0;
        for (; below + counts[bucket] <= rank; ++bucket)
            below += counts[bucket];
        inside = counts[bucket];
        low += static_cast<int64_t>(bucket << shift);
        high = std::min(high, low + static_cast<int64_t>((uint64_t(1) << shift) - 1));
    }
    if (low == high) return {low, below};
    std::vector<int64_t> left;
    left.reserve(inside);
    forEachValue(parts, [&](int64_t value) {
        if (value >= low && value <= high) left.push_back(value);
    });
    const auto at = left.begin() + static_cast<ptrdiff_t>(rank - below);
    std::nth_element(left.begin(), at, left.end());
    const auto less = std::count_if(left.begin(), at, [&](int64_t value) { return value < *at; });
    return {*at, below + static_cast<uint64_t>(less)};
}

int64_t doubledMedianOf(Parts parts, const DurationStatistics& known)
{
    const auto count = static_cast<uint64_t>(known.count);
    const Ranked middle = valueAtRank(parts, count / 2, known.minimum, known.maximum);
    if (count % 2 == 1 || middle.less < count / 2) return 2 * middle.value;
    int64_t before = known.minimum;
    forEachValue(parts, [&](int64_t value) {
        if (value < middle.value) before = std::max(before, value);
    });
    return before + middle.value;
}

// Sums the squared distances from the rounded mean. These are small enough for exact integer sums.
long double sampleDeviation(Parts parts, int64_t center, int64_t valueCount)
{
    constexpr int64_t kExactLimit = int64_t(1) << 47; // the sum of 2^33 such squares fits into 128 bits
    __int128 sum = 0, squares = 0;
    long double wideSquares = 0;
    forEachValue(parts, [&](int64_t value) {
        const int64_t distance = value - center;
        sum += distance;
        if (distance > -kExactLimit && distance < kExactLimit) {
            squares += __int128(distance) * distance;
        } else {
            wideSquares += static_cast<long double>(distance) * static_cast<long double>(distance);
        }
    });
    const auto count = static_cast<long double>(valueCount);
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
    return roundedQuotient(__int128(doubledMedian) * scale, __int128(2) * unit);
}

int64_t DurationStatistics::standardDeviation(int64_t scale, int64_t unit) const
{
    return static_cast<int64_t>(
        std::round(deviation * static_cast<long double>(scale) / static_cast<long double>(unit)));
}

DurationStatistics durationStatistics(std::span<const int64_t> values)
{
    return durationStatistics({&values, 1});
}

DurationStatistics durationStatistics(std::span<const std::span<const int64_t>> parts)
{
    DurationStatistics out;
    __int128 total = 0;
    int64_t minimum = std::numeric_limits<int64_t>::max(), maximum = std::numeric_limits<int64_t>::min();
    for (const auto& part : parts)
        out.count += static_cast<int64_t>(part.size());
    if (out.count == 0) return out;
    forEachValue(parts, [&](int64_t value) {
        total += value;
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    });
    out.minimum = minimum;
    out.maximum = maximum;
    out.total = saturated(total);
    out.doubledMedian = doubledMedianOf(parts, out);
    if (out.count > 1) out.deviation = sampleDeviation(parts, roundedQuotient(total, out.count), out.count);
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
