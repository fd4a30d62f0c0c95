// SPDX-License-Identifier: Apache-2.0
// The allocator history of a long training run, for benches: always the same.
#pragma once

#include <cstdint>
#include <memory>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep::test {

// Repeated steps of a training run: `live` blocks that stay, and waves of temporary ones.
inline std::shared_ptr<const MemorySnapshot> trainingHistory(size_t entries)
{
    const auto out = std::make_shared<MemorySnapshot>();
    constexpr uint64_t kBlock = 2 << 20, kSlots = 20'000, kWave = 4'000;
    const auto addressOf = [](uint64_t slot) { return (uint64_t(1) << 40) + slot * kBlock; };
    out->devices = {0};
    for (uint32_t stack = 0; stack < 2000; ++stack) {
        out->frames.push_back({StringId(0u), StringId(0u), static_cast<int32_t>(stack), StringId(0u)});
        for (uint32_t depth = 0; depth < 30; ++depth)
            out->stackFrames.push_back(MemoryFrameId(stack * 7 * depth % 2000));
        out->stackBegin.push_back(static_cast<uint32_t>(out->stackFrames.size()));
    }
    for (MemoryFrameId& frame : out->stackFrames)
        frame = MemoryFrameId(frame.value % static_cast<uint32_t>(out->frames.size()));
    MemoryEntryTable& e = out->entries;
    const auto add = [&](MemoryAction action, uint64_t slot, uint64_t size) {
        e.device.push_back(0);
        e.action.push_back(action);
        e.address.push_back(addressOf(slot));
        e.size_bytes.push_back(size);
        e.stream.push_back(0);
        e.time_ns.push_back(static_cast<int64_t>(e.time_ns.size()) * 2000);
        e.stack.push_back(MemoryStackId(static_cast<uint32_t>(slot * 31 % 2000)));
    };
    for (uint64_t slot = 0; slot < kSlots; ++slot) {
        add(MemoryAction::segmentAlloc, slot, kBlock);
        if (slot >= kWave) add(MemoryAction::alloc, slot, kBlock - slot % 900);
    }
    while (e.size() < entries) {
        for (uint64_t slot = 0; slot < kWave; ++slot)
            add(MemoryAction::alloc, slot * 17 % kWave, kBlock - slot % 1000);
        for (uint64_t slot = 0; slot < kWave; ++slot) {
            add(MemoryAction::freeRequested, slot * 17 % kWave, kBlock - slot % 1000);
            add(MemoryAction::freeCompleted, slot * 17 % kWave, kBlock - slot % 1000);
        }
    }
    return out;
}

} // namespace lockstep::test
