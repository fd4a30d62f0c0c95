// SPDX-License-Identifier: Apache-2.0
// BlockLife is a block of device memory from its allocation until its memory can be reused. The replay of one
// device creates the table in order of allocation, starting with blocks from before the recording. Every view
// of allocations reads it. Stored as columns; immutable once created.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/memory_moment.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

using BlockLifeId = Id<struct BlockLifeTag>; // row in the BlockLifeTable of one device

namespace blockFlag {
inline constexpr uint8_t kInDump = 1;      // the block is live in the dump, as block dumpBlock
inline constexpr uint8_t kSizeGuessed = 2; // allocated before the recording and freed during it: the true
                                           // size may be up to 1 MiB above size_bytes
inline constexpr uint8_t kFreeGuessed = 4; // its address was allocated again without a recorded free
inline constexpr uint8_t kRest = 8;        // this row is not a single block but the sum of all unknown memory
                                           // from before the recording
} // namespace blockFlag

struct BlockLifeTable {
    size_t size() const { return address.size(); }
    // Returns true if the block is active: allocated, or freed by its owner but still used by streams.
    bool isActiveAt(size_t row, MemoryMoment moment) const
    {
        return born[row] <= moment && moment < freed[row];
    }
    bool isPreexisting(size_t row) const { return born[row] == 0; }
    bool isNeverFreed(size_t row) const { return freed[row] == kNeverFreed; }

    std::vector<uint64_t> address;
    std::vector<uint64_t> requested_bytes; // requested size
    std::vector<uint64_t> size_bytes;      // allocated size
    std::vector<MemoryMoment> born;        // 0: allocated before the recording
    // moment at which the owner freed the block. 0: freed before the recording. kNeverFreed: never freed
    std::vector<MemoryMoment> freeRequested;
    std::vector<MemoryMoment> freed;  // moment from which the memory can be reused; kNeverFreed: active at
                                      // the end
    std::vector<MemoryStackId> stack; // allocating stack; invalid if not recorded
    std::vector<uint32_t> dumpBlock;  // row of MemorySnapshot::blocks; 0xFFFFFFFF: none
    std::vector<uint8_t> flags;

    size_t residentBytes() const;
};

} // namespace lockstep
