// SPDX-License-Identifier: Apache-2.0
// pairBlocks() joins the allocations of one device's history with their frees and with the blocks of the
// dump. This is the first half of a replay; findBlockSizes() then finds the allocated sizes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/memory/block_life.h"
#include "core/memory/replay_watch.h"
#include "core/trace/import_notes.h"

namespace lockstep {

struct PairedBlocks {
    // blocks from before the recording first, by address, then in order of allocation; size_bytes is 0 unless
    // the block is in the dump
    BlockLifeTable blocks;
    std::vector<uint32_t> lifeOf; // row of blocks for each entry; 0xFFFFFFFF: none
    std::vector<std::pair<MemoryMoment, uint32_t>> impliedFrees;
    std::vector<std::pair<uint32_t, StringId>> annotations;
};

// Pairs the blocks. rows: as in DeviceReplay, fewer than 2^31. A block counts as allocated before the
// recording if the history frees but never allocates it, or if it is in the dump but not in the history.
// Contradictions (an address allocated or freed twice, impossible sizes) are counted in notes. O(n + blocks
// log blocks).
PairedBlocks pairBlocks(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                        ImportNotes& notes, ReplayWatch& watch);

} // namespace lockstep
