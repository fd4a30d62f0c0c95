// SPDX-License-Identifier: Apache-2.0
// Which sizes the history of a memory snapshot states. PyTorch records what callers asked for; other writers,
// and tools that rewrite snapshots, record what was handed out.
#pragma once

#include <cstdint>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

enum class StatedSizes : uint8_t {
    unknown,   // no row tells the two apart
    requested, // of most blocks of the dump that the history handed out, as what was asked for
    handedOut  // as their whole size; or addresses show that this allocator rounds nothing
};

// By blocks of the dump whose size is not what was asked for: the history's last entry for such a block has
// one of the two. Blocks of PyTorch's allocators begin at multiples of 512 bytes; a history with other
// addresses is of an allocator that does not round. O(entries log blocks).
StatedSizes statedSizesOf(const MemorySnapshot& snapshot);

} // namespace lockstep
