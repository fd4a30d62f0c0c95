// SPDX-License-Identifier: Apache-2.0
// PoolEnvelopes describe a device's private pools (for CUDA graphs and torch.cuda.MemPool) over time. The
// envelope is the most memory that a pool has needed so far; this memory is unavailable to other pools until
// the pool is destroyed. The view of allocated memory draws it hatched above active memory. poolEnvelopes()
// is a pure function. Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

struct PoolEnvelope {
    std::array<uint64_t, 2> pool{}; // segment_pool_id; never {0, 0}
    uint64_t stream = 0;
    // For each requested moment, the highest active or reserved memory of the pool so far. The values never
    // decrease.
    std::vector<int64_t> height_bytes;
    std::vector<int64_t> active_bytes;

    friend bool operator==(const PoolEnvelope&, const PoolEnvelope&) = default;
};

// Returns the pools sorted by ID, then by stream. moments: ascending. A pool is known if a segment in the
// dump or an entry in the history specifies it. PyTorch up to 2.11 does not record the pool of segments
// released before the dump; they count as part of the default pool. O(n log n).
std::vector<PoolEnvelope> poolEnvelopes(const AllocatorReplay& replay, const DeviceReplay& device,
                                        std::span<const MemoryMoment> moments);

} // namespace lockstep
