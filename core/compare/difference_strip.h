// SPDX-License-Identifier: Apache-2.0
// DifferenceStrip: the lane between the sides of a comparison. Shows pixel by pixel how much later or earlier
// slices begin in B, and where slices are missing or new. Computed by layOutDifference(); drawn by the
// painter, both in windows and in images. As in DisplayList, x is counted from the first time pixel. Pure.
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/compare/slice_pairs.h"

namespace lockstep {

// A pixel in which slices in A begin, or in which slices that exist only in B would begin if they were in A.
struct DifferenceColumn {
    uint16_t x = 0;
    Duration latest{};   // largest delay among the slices on both sides; 0 if no slice is later
    Duration earliest{}; // largest advance among the slices on both sides; 0 or negative
    uint32_t both = 0, missing = 0, added = 0;

    friend bool operator==(const DifferenceColumn&, const DifferenceColumn&) = default;
};

struct DifferenceStrip {
    std::vector<DifferenceColumn> columns; // sorted by x; contains nonempty columns only
    Duration scale{1}; // duration that corresponds to half the height of the lane: 1, 2 or 5
                       // times a power of ten ns

    friend bool operator==(const DifferenceStrip&, const DifferenceStrip&) = default;
};

// visible: on A's aligned axis, over `width` pixels. Slices that begin within it are counted. O(lanes *
// log(pairs) + visible pairs).
DifferenceStrip layOutDifference(const SlicePairs& pairs, TimeRange visible, int width);

} // namespace lockstep
