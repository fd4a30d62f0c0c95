// SPDX-License-Identifier: Apache-2.0
// pairBlocks(): joins the allocations of one device's history with their frees and with the blocks of the
// dump. The first half of a replay; what was handed out for each block is found afterwards (block_sizes.h).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/memory/block_life.h"
#include "core/memory/replay_watch.h"
#include "core/trace/import_notes.h"

namespace lockstep {

struct PairedBlocks {
    BlockLifeTable blocks;        // those from before the history first, by address, then in order of birth;
                                  // size_bytes: of blocks in the dump, else 0
    std::vector<uint32_t> lifeOf; // by entry; 0xFFFFFFFF: none
    std::vector<std::pair<MemoryMoment, uint32_t>> impliedFrees;
    std::vector<std::pair<uint32_t, StringId>> annotations;
};

// rows as in DeviceReplay, fewer than 2^31. A block that is freed but never allocated in the history, or that
// stands in the dump but not in the history, was handed out before it. Everything that cannot be (an address
// handed out twice, freed twice, sizes that no device has) is counted in notes. O(n + blocks log blocks).
PairedBlocks pairBlocks(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                        ImportNotes& notes, ReplayWatch& watch);

} // namespace lockstep
