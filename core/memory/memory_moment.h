// SPDX-License-Identifier: Apache-2.0
// A moment is a point in one device's history, given as the number of entries before it: moment 0 precedes
// the first entry, moment n follows the n-th and last. A block is live at all moments in [born, freed).
// MemoryLevels are the byte counts at a moment. Plain value types. Thread: any.
#pragma once

#include <cstdint>

namespace lockstep {

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

} // namespace lockstep
