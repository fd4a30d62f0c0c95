// SPDX-License-Identifier: Apache-2.0
// Time as the whole program counts it: signed 64-bit nanoseconds, never floating point. A TraceTime belongs
// to one clock (a report's own, or the workspace's aligned axis: the holder says which); ranges are
// half-open.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace lockstep {

// A length of time in nanoseconds. Negative lengths occur only as differences.
struct Duration {
    int64_t ns = 0;

    friend constexpr auto operator<=>(Duration, Duration) = default;
    friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
    friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
    friend constexpr Duration operator-(Duration a) { return {-a.ns}; }
};

// A moment on one clock, in nanoseconds since that clock's zero.
struct TraceTime {
    int64_t ns = 0;

    friend constexpr auto operator<=>(TraceTime, TraceTime) = default;
    friend constexpr TraceTime operator+(TraceTime t, Duration d) { return {t.ns + d.ns}; }
    friend constexpr TraceTime operator-(TraceTime t, Duration d) { return {t.ns - d.ns}; }
    friend constexpr Duration operator-(TraceTime a, TraceTime b) { return {a.ns - b.ns}; }
};

// [begin, end) on one clock. Empty when end <= begin.
struct TimeRange {
    TraceTime begin;
    TraceTime end;

    constexpr Duration length() const { return end - begin; }
    constexpr bool isEmpty() const { return end <= begin; }
    constexpr bool contains(TraceTime t) const { return begin <= t && t < end; }
    constexpr bool overlaps(TimeRange other) const { return begin < other.end && other.begin < end; }
    constexpr TimeRange clippedTo(TimeRange other) const
    {
        return {std::max(begin, other.begin), std::min(end, other.end)};
    }
    // The smallest range that holds both; an empty one adds nothing.
    constexpr TimeRange unitedWith(TimeRange other) const
    {
        if (other.isEmpty()) return *this;
        if (isEmpty()) return other;
        return {std::min(begin, other.begin), std::max(end, other.end)};
    }

    friend constexpr bool operator==(TimeRange, TimeRange) = default;
};

// The range that every valid stamp lies in. A quarter of int64, so that offsets and differences cannot
// overflow.
inline constexpr TimeRange kAllTime{{std::numeric_limits<int64_t>::min() / 4},
                                    {std::numeric_limits<int64_t>::max() / 4}};

} // namespace lockstep
