// SPDX-License-Identifier: Apache-2.0
// PhaseTimeline: which phase each moment of one process belongs to. Ranges may nest, cross and stay open; a
// moment belongs to one of them only, so that what phases take adds up to no more than time has passed. Made
// of the ranges that are phases for the lane of phases and the step analyses. A value; any thread.
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
    TimeRange range; // all of them on one clock
    RlPhase phase = RlPhase::other;
    bool isOpen = false; // never closed: range.end says nothing
    SliceRef slice = {}; // which one it is; may be left out
};

// A stretch that belongs to one range.
struct PhaseSegment {
    TimeRange range;
    RlPhase phase = RlPhase::other;
    SliceRef slice = {};

    friend bool operator==(const PhaseSegment&, const PhaseSegment&) = default;
};

class PhaseTimeline {
  public:
    PhaseTimeline() = default;
    // In any order. A moment belongs to the range open there that began last, of equal ones to the shorter:
    // the inner of two nested ones. Empty ranges do not count. O(n log n).
    explicit PhaseTimeline(std::vector<PhaseRange> ranges);

    // What each phase has of a range; absent where no range of the phase touches it, 0 where others cover it.
    std::array<std::optional<int64_t>, kRlPhases> within(TimeRange range) const;
    // Which it is at a moment of the report's clock; absent: none. O(log ranges).
    std::optional<RlPhase> at(TraceTime time) const;
    // Moments at which ranges of two or more different phases were open.
    const IntervalSet& overlap() const { return m_overlap; }
    bool isEmpty() const { return m_segments.empty(); }
    const std::vector<PhaseSegment>& segments() const { return m_segments; }

  private:
    std::vector<PhaseSegment> m_segments;      // by begin; none overlap
    std::array<IntervalSet, kRlPhases> m_open; // when each was open
    IntervalSet m_overlap;
};

// Ends what was never closed: where the next phase of the process begins, at the end of the step that it
// began in, or at `last`, whichever is first. steps: by begin.
void closeOpenRanges(std::vector<PhaseRange>& ranges, std::span<const TimeRange> steps, TraceTime last);

} // namespace lockstep
