// SPDX-License-Identifier: Apache-2.0
// IntervalSet: a set of points in time, stored as sorted ranges that neither touch nor overlap. All totals
// over time are computed from it. Immutable value type; any thread.
#pragma once

#include <span>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

class IntervalSet {
  public:
    IntervalSet() = default;
    // Returns the union of ranges in any order; empty ranges are ignored. O(n log n), or O(n) if they are
    // sorted by begin.
    static IntervalSet unionOf(std::vector<TimeRange> ranges);

    std::span<const TimeRange> ranges() const { return m_ranges; }
    bool isEmpty() const { return m_ranges.empty(); }
    Duration length() const;
    // Returns the total length of the parts inside `range`. O(log n + ranges inside).
    Duration lengthWithin(TimeRange range) const;
    // Returns the range from the first begin to the last end; empty for an empty set.
    TimeRange extent() const;
    // Returns the gaps between the ranges.
    IntervalSet gaps() const;
    // O(n + m), like without().
    IntervalSet intersectedWith(const IntervalSet& other) const;
    IntervalSet without(const IntervalSet& other) const;

    friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

  private:
    std::vector<TimeRange> m_ranges;
};

} // namespace lockstep
