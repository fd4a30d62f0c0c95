// SPDX-License-Identifier: Apache-2.0
// findBlockSizes() computes the allocated size of each block, which the history does not record. This is the
// second half of a replay. It replays blocks and segments in address order and applies the allocator's
// splitting rules to free blocks.
#pragma once

#include <span>
#include <utility>

#include "core/memory/allocator_rules.h"
#include "core/memory/block_pairing.h"
#include "core/memory/segment_history.h"

namespace lockstep {

// Fills blocks.size_bytes; blocks in the dump keep their sizes. Blocks in the small pool and in expandable
// segments have exactly the rounded size. In other segments every piece, used or free, is larger than 1 MiB.
// A smaller gap after a block therefore belongs to the block. A block from before the recording that is
// followed by a larger gap may own up to 1 MiB of the gap (kSizeGuessed), unless a later neighbor shows where
// the block ends. A block in the dump that overlaps memory allocated to other blocks in the history must have
// been allocated after the history; it is removed and counted in the notes. O(n log live).
void findBlockSizes(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
                    ImportNotes& notes, ReplayWatch& watch);

} // namespace lockstep
