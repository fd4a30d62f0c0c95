// SPDX-License-Identifier: Apache-2.0
// Replays the dump of a random allocator, for property tests of what is derived from replays.
#pragma once

#include <rapidcheck.h>

#include "core/memory/allocator_replay.h"
#include "tests/support/caching_allocator.h"

namespace lockstep::test {

// Create it inside a property.
struct RandomReplay {
    std::mt19937_64 random{*rc::gen::arbitrary<uint64_t>()};
    std::shared_ptr<const MemorySnapshot> snapshot;
    AllocatorReplay replay;

    explicit RandomReplay(size_t longest)
    {
        AllocatorModel model;
        model.isExpandable = random() % 2 == 0;
        const auto allocator = randomAllocator(model, 1 + random() % longest, random);
        snapshot = allocator.dump(random() % (allocator.entryCount() + 1));
        replay = replayAllocator(snapshot, AllocatorRules(), Progress()).value();
    }
    const DeviceReplay& device() const { return replay.devices.at(0); }
    MemoryMoment moment() { return static_cast<MemoryMoment>(random() % (device().lastMoment() + 1)); }
    uint32_t stackAt(size_t life) const { return device().blocks.stack[life].value; }
    int64_t sizeAt(size_t life) const { return static_cast<int64_t>(device().blocks.size_bytes[life]); }
};

} // namespace lockstep::test
