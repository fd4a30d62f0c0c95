// SPDX-License-Identifier: Apache-2.0
// LaneShelves: which rows of a lane the captures of one thing take. Captures that lie one after another share
// rows; those that overlap in time get rows of their own, so that nothing hides under another. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

// What one report holds of a lane.
struct LaneBlock {
    TimeRange extent;    // aligned
    uint32_t height = 1; // rows
    uint32_t row = 0;    // the first of its rows; set by shelveBlocks()
    // Blocks of one recording, which is told by a number above 0, are pieces of one thing: they share rows,
    // however they overlap.
    uint32_t recording = 0;
};

// Sets the rows of all blocks and returns how many rows there are. As few shelves as overlaps allow; earlier
// blocks lie higher. O(blocks * shelves).
uint32_t shelveBlocks(std::vector<LaneBlock>& blocks);

} // namespace lockstep
