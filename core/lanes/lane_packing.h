// SPDX-License-Identifier: Apache-2.0
// LanePacking: assigns the captures in a lane to its rows. Consecutive captures share rows; captures that
// overlap in time get separate rows, so that nothing is hidden. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

// The part of a lane that comes from one report.
struct LaneBlock {
    TimeRange extent;    // aligned
    uint32_t height = 1; // number of rows that the block needs
    uint32_t row = 0;    // the first row of the block; set by packBlocks()
    // Blocks with the same nonzero ID are chunks of one recording. They share rows even if they overlap.
    uint32_t recording = 0;
};

// Sets the rows for all blocks and returns the number of rows. Uses as few row ranges as the
// overlaps allow (greedy interval partitioning); earlier blocks get the upper rows. O(blocks * row ranges).
uint32_t packBlocks(std::vector<LaneBlock>& blocks);

} // namespace lockstep
