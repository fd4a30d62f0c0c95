// SPDX-License-Identifier: Apache-2.0
// DeltaStrip: the lane between the halves of a comparison, pixel by pixel: how much later or earlier slices
// begin in B, and where some are missing or new. Made by layOutDelta(), replayed by the painter of windows
// and pictures. Coordinates as in DisplayList: x from the first time pixel. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "core/timeline/slice_pairs.h"

namespace lockstep {

// A pixel in which a slice of A begins, or one of B would.
struct DeltaColumn {
    uint16_t x = 0;
    Duration latest{};   // of the slices of both: the greatest delay, 0 where none is later
    Duration earliest{}; // the same, not positive
    uint32_t both = 0, missing = 0, added = 0;

    friend bool operator==(const DeltaColumn&, const DeltaColumn&) = default;
};

struct DeltaStrip {
    std::vector<DeltaColumn> columns; // by x; those that hold anything
    Duration scale{1};                // of the lane's half height: 1, 2 or 5 times a power of ten ns

    friend bool operator==(const DeltaStrip&, const DeltaStrip&) = default;
};

// visible: on A's aligned axis, over `width` pixels. What begins in it counts. O(lanes * log(pairs) + pairs
// that are visible).
DeltaStrip layOutDelta(const SlicePairs& pairs, TimeRange visible, int width);

} // namespace lockstep
