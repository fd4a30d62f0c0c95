// SPDX-License-Identifier: Apache-2.0
// findBlockSizes(): what the allocator handed out for each block, which the history does not say. The second
// half of a replay: blocks and segments are kept in address order while the history is walked, and the
// allocator's own rules tell how much of a free block went to a request.
#pragma once

#include <span>
#include <utility>

#include "core/memory/allocator_rules.h"
#include "core/memory/block_pairing.h"
#include "core/memory/segment_history.h"

namespace lockstep {

// Fills blocks.size_bytes. Blocks of the dump keep theirs. Blocks of the small pool and of expandable
// segments are cut to measure. In the other segments every piece, used or free, is larger than 1 MiB: a gap
// up to that behind a block belongs to it. A block from before the history that has a larger gap behind it
// may have taken up to 1 MiB of it (kSizeGuessed), unless a neighbour that comes later shows where it ended.
// A block of the dump on whose memory the history hands out others was handed out after it: it is taken out
// of the table, and noted. O(n log live).
void findBlockSizes(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
                    ImportNotes& notes, ReplayWatch& watch);

} // namespace lockstep
