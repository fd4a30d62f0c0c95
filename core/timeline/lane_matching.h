// SPDX-License-Identifier: Apache-2.0
// LaneMatching: which slice of a lane of one half of a comparison is which of the other half's. Made by
// pairSlices() for each pair of lanes; lanes are matched side by side.
#pragma once

#include <map>

#include "core/timeline/side_steps.h"

namespace lockstep {

// Steps of the halves that are held against each other; unit 0 is what no step has.
struct PairUnits {
    std::map<int64_t, uint32_t> ofA, ofB; // by step
    std::vector<StepPair> steps;          // of unit i + 1
    Duration restShift{};                 // of unit 0
    bool isAll = true;                    // no step is chosen: what is of none counts as well

    Duration shiftOf(uint32_t unit) const
    {
        return unit == 0 ? restShift : steps[unit - 1].rangeB.begin - steps[unit - 1].rangeA.begin;
    }
};

struct HalfOfLane {
    const Scene& scene;
    const SideSteps& steps;
    const std::map<int64_t, uint32_t>& units;
    const std::vector<TrackRef>& tracks;
};

struct MatchedLane {
    std::vector<SlicePair> pairs; // by `at`
    bool isUnstepped = false;     // a half knows no steps
    size_t placed = 0,
           unplaced = 0; // names that are not as often in both: matched by place, or too many for it
};
// Where progress is canceled, the answer is cut short.
MatchedLane matchLane(const PairUnits& units, const HalfOfLane& a, const HalfOfLane& b,
                      const Progress& progress);

} // namespace lockstep
