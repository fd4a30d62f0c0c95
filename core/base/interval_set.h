// SPDX-License-Identifier: Apache-2.0
// IntervalSet: moments at which something went on, as sorted ranges that neither touch nor overlap: what
// every total over time is counted by. A value, immutable once made; any thread.
#pragma once

#include <span>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

class IntervalSet {
  public:
    IntervalSet() = default;
    // In any order; empty ones do not count. O(n log n), O(n) where they are sorted by begin.
    static IntervalSet unionOf(std::vector<TimeRange> ranges);

    std::span<const TimeRange> ranges() const { return m_ranges; }
    bool isEmpty() const { return m_ranges.empty(); }
    Duration length() const;
    // What of it lies within a range: O(log of all, and what lies there).
    Duration lengthWithin(TimeRange range) const;
    // First begin to last end; empty of an empty set.
    TimeRange extent() const;
    // What lies between its ranges.
    IntervalSet gaps() const;
    // O(both).
    IntervalSet intersectedWith(const IntervalSet& other) const;
    IntervalSet without(const IntervalSet& other) const;

    friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

  private:
    std::vector<TimeRange> m_ranges;
};

} // namespace lockstep
