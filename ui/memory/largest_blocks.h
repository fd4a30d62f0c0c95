// SPDX-License-Identifier: Apache-2.0
// LargestBlocks is a table of the largest blocks of the allocator at one point in time. A worker creates it
// with largestBlocks(). Immutable afterwards.
#pragma once

#include "core/analysis/memory_tables/stack_tables.h"
#include "core/memory/allocator_state.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

inline constexpr int kMaxLargestBlocks = 8;

struct LargestBlocks {
    TablePtr table;
    std::vector<BlockLifeId> lives; // the block shown in each row
};

// Returns the blocks sorted by size (largest first), then by address. Times are relative to the first entry;
// if the file has no times, entry numbers are shown. O(blocks).
LargestBlocks largestBlocks(const MemorySource& source, const AllocatorState& state);

} // namespace lockstep
