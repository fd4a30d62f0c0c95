// SPDX-License-Identifier: Apache-2.0
#include "core/memory/pool_envelopes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep {

namespace {

using PoolId = std::array<uint64_t, 2>;

// Change of a pool's memory at one moment.
struct PoolChange {
    MemoryMoment moment = 0;
    int64_t active = 0, reserved = 0;
};

// Returns the pool of each segment life.
std::vector<PoolId> poolsOfSegments(const MemorySnapshot& snapshot, const DeviceReplay& device)
{
    std::vector<PoolId> out;
    for (const SegmentLife& life : device.segments.lives) {
        PoolId pool{};
        if (life.reserved > 0 && !snapshot.entries.pool.empty())
            pool = snapshot.entries.pool[device.rows[life.reserved - 1]];
        if (pool == PoolId{} && life.dumpSegment < snapshot.segments.size())
            pool = snapshot.segments.pool[life.dumpSegment];
        out.push_back(pool);
    }
    return out;
}

// Computes height and active memory at the given moments from unsorted changes.
PoolEnvelope envelopeOf(PoolId pool, uint64_t stream, std::vector<PoolChange>& changes,
                        std::span<const MemoryMoment> moments)
{
    PoolEnvelope out{pool, stream, {}, {}};
    std::ranges::sort(changes, {}, &PoolChange::moment);
    int64_t active = 0, reserved = 0, most = 0;
    size_t next = 0;
    for (const MemoryMoment moment : moments) {
        while (next < changes.size() && changes[next].moment <= moment) {
            const MemoryMoment now = changes[next].moment;
            for (; next < changes.size() && changes[next].moment == now; ++next) {
                active += changes[next].active;
                reserved += changes[next].reserved;
            }
            most = std::max({most, active, reserved});
        }
        out.height_bytes.push_back(most);
        out.active_bytes.push_back(active);
    }
    return out;
}

} // namespace

std::vector<PoolEnvelope> poolEnvelopes(const AllocatorReplay& replay, const DeviceReplay& device,
                                        std::span<const MemoryMoment> moments)
{
    std::map<std::pair<PoolId, uint64_t>, std::vector<PoolChange>> changes;
    const std::vector<PoolId> pools = poolsOfSegments(*replay.snapshot, device);
    const auto add = [&](uint32_t segment, MemoryMoment begin, MemoryMoment freed, int64_t active,
                         int64_t reserved) {
        if (pools[segment] == PoolId{}) return;
        auto& list = changes[{pools[segment], device.segments.lives[segment].stream}];
        list.push_back({begin, active, reserved});
        if (freed != kNeverFreed) list.push_back({freed, -active, -reserved});
    };
    for (uint32_t row = 0; row < device.segments.lives.size(); ++row) {
        const SegmentLife& life = device.segments.lives[row];
        add(row, life.reserved, life.freed, 0, static_cast<int64_t>(life.size_bytes));
    }
    ReservedSegments segments(device.segments);
    const BlockLifeTable& blocks = device.blocks;
    for (size_t life = 0; life < blocks.size(); ++life) { // in order of allocation
        segments.goTo(blocks.allocated[life]);
        if (const auto segment = segments.rowAt(blocks.address[life]))
            add(*segment, blocks.allocated[life], blocks.freed[life],
                static_cast<int64_t>(blocks.size_bytes[life]), 0);
    }
    std::vector<PoolEnvelope> out;
    for (auto& [key, list] : changes)
        out.push_back(envelopeOf(key.first, key.second, list, moments));
    return out;
}

} // namespace lockstep
