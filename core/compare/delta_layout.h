// SPDX-License-Identifier: Apache-2.0
// DeltaStrip: the lane between the panes of a comparison. Shows pixel by pixel how much later or earlier
// slices begin in B, and where slices are missing or new. Computed by layOutDelta(); drawn by the painter,
// both in windows and in images. As in DisplayList, x is counted from the first time pixel. Pure. Thread:
// any.
#pragma once

#include <string>
#include <vector>

#include "core/compare/slice_pairs.h"

namespace lockstep {

// A pixel in which slices in A begin, or in which slices that exist only in B would begin if they were in A.
struct DeltaColumn {
    uint16_t x = 0;
    Duration latest{};   // largest delay among the slices in both panes; 0 if no slice is later
    Duration earliest{}; // largest advance among the slices in both panes; 0 or negative
    uint32_t both = 0, missing = 0, added = 0;

    friend bool operator==(const DeltaColumn&, const DeltaColumn&) = default;
};

struct DeltaStrip {
    std::vector<DeltaColumn> columns; // sorted by x; contains nonempty columns only
    Duration scale{1};                // duration that corresponds to half the height of the lane: 1, 2 or 5
                                      // times a power of ten ns

    friend bool operator==(const DeltaStrip&, const DeltaStrip&) = default;
};

// visible: on A's aligned axis, over `width` pixels. Slices that begin within it are counted. O(lanes *
// log(pairs) + visible pairs).
DeltaStrip layOutDelta(const SlicePairs& pairs, TimeRange visible, int width);

} // namespace lockstep
