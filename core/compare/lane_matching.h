// SPDX-License-Identifier: Apache-2.0
// LaneMatching: pairs the slices of a lane in the two panes of a comparison. Used by pairSlices() for each
// pair of lanes; lanes are matched in parallel.
#pragma once

#include <map>

#include "core/compare/side_steps.h"

namespace lockstep {

// The units in which slices are paired: one per pair of compared steps. Unit 0 holds the slices outside all
// steps.
struct PairUnits {
    std::map<int64_t, uint32_t> ofA, ofB; // unit by step
    std::vector<StepPair> steps;          // entry i belongs to unit i + 1
    Duration restShift{};                 // the compared range for unit 0
    bool isAll = true;                    // true: no step is chosen, so slices outside steps are included

    Duration shiftOf(uint32_t unit) const
    {
        return unit == 0 ? restShift : steps[unit - 1].rangeB.begin - steps[unit - 1].rangeA.begin;
    }
};

struct LaneSide {
    const Scene& scene;
    const SideSteps& steps;
    const std::map<int64_t, uint32_t>& units;
    const std::vector<TrackRef>& tracks;
};

struct MatchedLane {
    std::vector<SlicePair> pairs; // sorted by `at`
    bool isUnstepped = false;     // one pane has no steps
    size_t placed = 0,
           unplaced = 0; // number of names with different counts: those matched by position, and those left
                         // unmatched because they have too many slices
};
// The result is incomplete if progress is canceled.
MatchedLane matchLane(const PairUnits& units, const LaneSide& a, const LaneSide& b, const Progress& progress);

} // namespace lockstep
