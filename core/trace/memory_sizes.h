// SPDX-License-Identifier: Apache-2.0
// Detects which sizes the history of a memory snapshot records. PyTorch records requested sizes; other
// writers, and tools that rewrite snapshots, record allocated sizes.
#pragma once

#include <cstdint>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

enum class RecordedSizes : uint8_t {
    unknown,   // no row shows which of the other two applies
    requested, // requested sizes; most blocks in the dump that the history allocated show this
    handedOut  // allocated sizes, or addresses show that the allocator does not round sizes
};

// Determines the kind of sizes. Compares blocks in the dump whose size differs from the requested size with
// the last history entry for the block, which has one of the two sizes. Blocks of PyTorch allocators begin at
// multiples of 512 bytes, so a history with other addresses comes from an allocator that does not round.
// O(entries log blocks).
RecordedSizes recordedSizesOf(const MemorySnapshot& snapshot);

} // namespace lockstep
