// SPDX-License-Identifier: Apache-2.0
// BlockLife is a block of device memory from its allocation until its memory can be reused. The replay of one
// device creates the table in order of allocation, starting with blocks from before the recording. Every view
// of allocations reads it. Stored as columns; immutable once created.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

// A moment is a point in one device's history, given as the number of entries before it: moment 0 precedes
// the first entry, moment n follows the n-th and last. A block is live at all moments in [allocated, freed).
// MemoryLevels are the byte counts at a moment. Plain value types. Thread: any.

using MemoryMoment = uint32_t;
inline constexpr MemoryMoment kNeverFreed = 0xFFFFFFFFu;

// MemoryLevels are the bytes at one moment, as counted by torch.cuda.memory_stats ("*_bytes.all.current").
struct MemoryLevels {
    int64_t active = 0;    // allocated size of all blocks that are allocated, or that are freed but still
                           // used by a stream
    int64_t allocated = 0; // allocated size of blocks; a block counts until free_requested
    int64_t requested = 0; // requested size of active blocks; a block counts until free_completed
    int64_t reserved = 0;  // size of segments and mapped pages

    // Returns the free memory in the pool, i.e. reserved minus active. Negative if active memory is outside
    // the known segments because these are incomplete.
    int64_t unused() const { return reserved - active; }
    friend bool operator==(const MemoryLevels&, const MemoryLevels&) = default;
};

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
        return allocated[row] <= moment && moment < freed[row];
    }
    bool isPreexisting(size_t row) const { return allocated[row] == 0; }
    bool isNeverFreed(size_t row) const { return freed[row] == kNeverFreed; }

    std::vector<uint64_t> address;
    std::vector<uint64_t> requested_bytes; // requested size
    std::vector<uint64_t> size_bytes;      // allocated size
    std::vector<MemoryMoment> allocated;   // 0: allocated before the recording
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
