// SPDX-License-Identifier: Apache-2.0
// LargestBlocks: the largest blocks of the allocator at a moment, as the rows of a table. Made by
// largestBlocks() on a worker, immutable afterwards.
#pragma once

#include "core/analysis/memory_tables/stack_tables.h"
#include "core/memory/allocator_state.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

inline constexpr int kMostLargestBlocks = 8;

struct LargestBlocks {
    TablePtr table;
    std::vector<BlockLifeId> lives; // by row
};

// The largest first, of equal ones by address. Times are since the first entry; of a file without times they
// are entries. O(blocks).
LargestBlocks largestBlocks(const MemorySource& source, const AllocatorState& state);

} // namespace lockstep
