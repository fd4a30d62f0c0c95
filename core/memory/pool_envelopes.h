// SPDX-License-Identifier: Apache-2.0
// PoolEnvelopes: the private pools of a device (of CUDA graphs, of torch.cuda.MemPool) over time: what a pool
// has ever needed, which nothing else may use while the pool lives, around what is active in it. What the
// view "allocated memory, private pools included" draws in grey. Made by poolEnvelopes(), a pure function;
// any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

struct PoolEnvelope {
    std::array<uint64_t, 2> pool{}; // as segment_pool_id; never {0, 0}
    uint64_t stream = 0;
    // By moment asked for. Height: the most that was active or reserved in it up to then; it never falls.
    std::vector<int64_t> height_bytes;
    std::vector<int64_t> active_bytes;

    friend bool operator==(const PoolEnvelope&, const PoolEnvelope&) = default;
};

// moments: rising. Pools by number, then stream. A pool is known by the dump's segments, and by the history's
// entries where they name it; of segments that were given back before the dump, PyTorch up to 2.11 does not
// say whose they were, and they count as the default pool's. O(n log n).
std::vector<PoolEnvelope> poolEnvelopes(const AllocatorReplay& replay, const DeviceReplay& device,
                                        std::span<const MemoryMoment> moments);

} // namespace lockstep
