// SPDX-License-Identifier: Apache-2.0
// Types for time throughout the program: signed 64-bit nanoseconds, never floating point. A TraceTime belongs
// to one clock (the clock of a report, or the aligned axis of the workspace; the owner documents which one).
// Ranges are half-open.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace lockstep {

// A length of time in nanoseconds. Only differences can be negative.
struct Duration {
    int64_t ns = 0;

    friend constexpr auto operator<=>(Duration, Duration) = default;
    friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
    friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
    friend constexpr Duration operator-(Duration a) { return {-a.ns}; }
};

// A point in time on one clock, in nanoseconds since that clock's zero.
struct TraceTime {
    int64_t ns = 0;

    friend constexpr auto operator<=>(TraceTime, TraceTime) = default;
    friend constexpr TraceTime operator+(TraceTime t, Duration d) { return {t.ns + d.ns}; }
    friend constexpr TraceTime operator-(TraceTime t, Duration d) { return {t.ns - d.ns}; }
    friend constexpr Duration operator-(TraceTime a, TraceTime b) { return {a.ns - b.ns}; }
};

// The interval [begin, end) on one clock. Empty if end <= begin.
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
    // Returns the smallest range that contains both ranges; an empty range adds nothing.
    constexpr TimeRange unitedWith(TimeRange other) const
    {
        if (other.isEmpty()) return *this;
        if (isEmpty()) return other;
        return {std::min(begin, other.begin), std::max(end, other.end)};
    }

    friend constexpr bool operator==(TimeRange, TimeRange) = default;
};

// The range that contains every valid timestamp. It covers a quarter of int64, so that offsets and
// differences cannot overflow.
inline constexpr TimeRange kAllTime{{std::numeric_limits<int64_t>::min() / 4},
                                    {std::numeric_limits<int64_t>::max() / 4}};

} // namespace lockstep
