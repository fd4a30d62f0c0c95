// SPDX-License-Identifier: Apache-2.0
// Moments of an allocator's history: the number of entries of one device that have happened. Moment 0 is
// before the first, moment n after the n-th and last. Something lives at every moment of [born, freed). What
// the levels of memory are at a moment. Plain values, any thread.
#pragma once

#include <cstdint>

namespace lockstep {

using MemoryMoment = uint32_t;
inline constexpr MemoryMoment kNeverFreed = 0xFFFFFFFFu;

// Bytes at one moment, as torch.cuda.memory_stats counts them ("*_bytes.all.current").
struct MemoryLevels {
    int64_t active = 0; // blocks handed out or waiting for a stream to pass, as large as they were handed out
    int64_t allocated = 0; // blocks handed out: until free_requested
    int64_t requested = 0; // what was asked for of active blocks: until free_completed
    int64_t reserved = 0;  // segments and mapped pages

    // Free in the pool: reserved, and not active.
    // Negative where segments are not recorded: active memory that no known segment holds.
    int64_t unused() const { return reserved - active; }
    friend bool operator==(const MemoryLevels&, const MemoryLevels&) = default;
};

} // namespace lockstep
