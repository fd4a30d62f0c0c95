// SPDX-License-Identifier: Apache-2.0
// PhaseTimeline: assigns each point in time of a process to a phase. Ranges may nest, cross and remain open;
// a point in time belongs to at most one range, so the total of all phases is never more than the elapsed
// time. Created from phase ranges for the phase lane and the step analyses. Value type. Thread: any.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/base/interval_set.h"
#include "core/lanes/rl_phase.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct PhaseRange {
    TimeRange range; // all ranges are on the same clock
    RlPhase phase = RlPhase::other;
    bool isOpen = false; // true if the range was never closed; range.end is then undefined
    SliceRef slice = {}; // the slice of the range; optional
};

// A stretch of time that belongs to one range.
struct PhaseSegment {
    TimeRange range;
    RlPhase phase = RlPhase::other;
    SliceRef slice = {};

    friend bool operator==(const PhaseSegment&, const PhaseSegment&) = default;
};

class PhaseTimeline {
  public:
    PhaseTimeline() = default;
    // Ranges may be in any order. A point in time belongs to the range that began last of those open at that
    // time; on a tie, to the shorter range. Of two nested ranges, this is the inner one. Empty ranges are
    // ignored. O(n log n).
    explicit PhaseTimeline(std::vector<PhaseRange> ranges);

    // Returns the time in each phase within a range. A value is nullopt if no range of the phase touches
    // `range`, and 0 if other ranges cover the phase completely.
    std::array<std::optional<int64_t>, kRlPhases> within(TimeRange range) const;
    // Returns the phase at a time on the report's clock; nullopt if no range covers that time. O(log ranges).
    std::optional<RlPhase> at(TraceTime time) const;
    // Returns the times at which ranges of at least two different phases were open.
    const IntervalSet& overlap() const { return m_overlap; }
    bool isEmpty() const { return m_segments.empty(); }
    const std::vector<PhaseSegment>& segments() const { return m_segments; }

  private:
    std::vector<PhaseSegment> m_segments;      // sorted by start; disjoint
    std::array<IntervalSet, kRlPhases> m_open; // by phase: the times at which the phase is open
    IntervalSet m_overlap;
};

// Sets the ends of ranges that were never closed. Such a range ends at the earliest of: the start of the next
// phase in the process, the end of the step in which the range began, and `last`. `steps` is sorted by start.
void closeOpenRanges(std::vector<PhaseRange>& ranges, std::span<const TimeRange> steps, TraceTime last);

} // namespace lockstep
