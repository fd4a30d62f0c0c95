// SPDX-License-Identifier: Apache-2.0
// AllocatorReplay is the replayed history of a memory snapshot, separately for each device: which blocks were
// live when, and how much memory was active, allocated, requested and reserved after each entry. Created by
// replayAllocator() on a worker; immutable and shared afterwards. Layouts, allocation tables, leak and
// fragmentation views and the memory_* analyses read it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/memory/allocator_rules.h"
#include "core/memory/device_replay.h"

namespace lockstep {

struct AllocatorReplay {
    std::shared_ptr<const MemorySnapshot> snapshot;
    AllocatorRules rules;
    std::vector<DeviceReplay> devices; // same order as MemorySnapshot::devices
    ImportNotes notes;                 // notes about contradictions in the file and how they were resolved

    // Returns the pool of a block; {0, 0} is the default pool. The pool is taken from the entry that
    // allocated the block, otherwise from the dump's segment that contains the block. Returns nullopt if
    // neither records the pool. O(segments of the dump).
    std::optional<std::array<uint64_t, 2>> poolOf(const DeviceReplay& device, BlockLifeId life) const;
    // Returns the cudaStream_t for which the block was allocated, or nullopt if it is not recorded.
    std::optional<uint64_t> streamOf(const DeviceReplay& device, BlockLifeId life) const;
    // Returns the block's user annotation, or the torch.compile frame that allocated it; StringId(0): neither
    // is recorded.
    StringId metadataOf(const DeviceReplay& device, BlockLifeId life) const;
    StringId compileContextOf(const DeviceReplay& device, BlockLifeId life) const;
    // Returns the row of MemorySnapshot::entries that allocated the block; nullopt for blocks from
    // before the recording.
    std::optional<uint32_t> entryOf(const DeviceReplay& device, BlockLifeId life) const;
    size_t residentBytes() const; // does not include the snapshot
};

// Replays n entries in O(n log n). Contradictions in the file are counted in notes. For a block allocated
// before the recording and freed during it, only the requested size is recorded (blockFlag::kSizeGuessed).
// All other figures are exact and counted as in torch.cuda.memory_stats. The only possible error is
// `canceled`.
Result<AllocatorReplay> replayAllocator(std::shared_ptr<const MemorySnapshot> snapshot,
                                        const AllocatorRules& rules, const Progress& progress);
// Replays a report's snapshot with the allocator rules derived from the report's properties. Errors: invalid
// if it has no snapshot; canceled.
Result<AllocatorReplay> replayAllocator(const Report& report, const Progress& progress);

} // namespace lockstep
