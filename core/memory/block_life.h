// SPDX-License-Identifier: Apache-2.0
// BlockLife: one piece of device memory from the moment it was handed out to the moment it could be handed
// out again. Made by the replay of one device, in the order of birth, those from before the history first;
// read by every view of allocations. Columns, immutable once made.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/memory_moment.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

using BlockLifeId = Id<struct BlockLifeTag>; // row of one device's BlockLifeTable

namespace blockFlag {
inline constexpr uint8_t kInDump = 1; // alive in the dump, as block dumpBlock
inline constexpr uint8_t kSizeGuessed =
    2; // handed out before the history and freed in it: up to 1 MiB more than size_bytes may belong to it
inline constexpr uint8_t kFreeGuessed = 4; // its address was handed out again without a free in between
inline constexpr uint8_t kRest =
    8; // no block: all that was there before the history and is not known further
} // namespace blockFlag

struct BlockLifeTable {
    size_t size() const { return address.size(); }
    // Active: handed out, or freed by its owner and waiting for its streams.
    bool isActiveAt(size_t row, MemoryMoment moment) const
    {
        return born[row] <= moment && moment < freed[row];
    }
    bool isBornBefore(size_t row) const { return born[row] == 0; }
    bool isNeverFreed(size_t row) const { return freed[row] == kNeverFreed; }

    std::vector<uint64_t> address;
    std::vector<uint64_t> requested_bytes;   // what was asked for
    std::vector<uint64_t> size_bytes;        // what was handed out for it
    std::vector<MemoryMoment> born;          // 0: before the history
    std::vector<MemoryMoment> freeRequested; // freed by its owner; 0: before the history; kNeverFreed
    std::vector<MemoryMoment> freed;         // may be handed out again; kNeverFreed: active at the end
    std::vector<MemoryStackId> stack;        // of what allocated it; invalid where the file does not say
    std::vector<uint32_t> dumpBlock;         // row of MemorySnapshot::blocks; none: 0xFFFFFFFF
    std::vector<uint8_t> flags;

    size_t residentBytes() const;
};

} // namespace lockstep
