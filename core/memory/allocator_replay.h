// SPDX-License-Identifier: Apache-2.0
// AllocatorReplay: the history of a memory snapshot played back, device by device: which blocks were alive
// when, and how much memory was active, allocated, requested and reserved after each entry. Made by
// replayAllocator() on a worker, immutable and shared afterwards; read by the layout, the tables of
// allocations, leaks and fragmentation, and the analyses memory_*.
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
    std::vector<DeviceReplay> devices; // as MemorySnapshot::devices
    ImportNotes notes;                 // what did not fit together, and what was made of it

    // nullptr when the snapshot knows no such device.
    const DeviceReplay* deviceNumbered(int32_t device) const;
    // {0, 0}: the default pool. From the entry where it says, else from the dump's segment that holds the
    // block; empty where neither says. O(segments of the dump).
    std::optional<std::array<uint64_t, 2>> poolOf(const DeviceReplay& device, BlockLifeId life) const;
    // cudaStream_t of the stream that it was allocated for. Empty where nothing says.
    std::optional<uint64_t> streamOf(const DeviceReplay& device, BlockLifeId life) const;
    // The user's words for it, and the frame of torch.compile it was allocated in; StringId(0): none.
    StringId metadataOf(const DeviceReplay& device, BlockLifeId life) const;
    StringId compileContextOf(const DeviceReplay& device, BlockLifeId life) const;
    // The row of MemorySnapshot::entries that allocated it; empty for blocks from before the history.
    std::optional<uint32_t> entryOf(const DeviceReplay& device, BlockLifeId life) const;
    size_t residentBytes() const; // without the snapshot
};

// O(n log n) for n entries. canceled is the only error: flaws of the file are counted in notes. Of a block
// that was handed out before the history and freed in it, the file says what was asked for, not what was
// handed out: see blockFlag::kSizeGuessed. Everything else is exact, as torch.cuda.memory_stats counts it.
Result<AllocatorReplay> replayAllocator(std::shared_ptr<const MemorySnapshot> snapshot,
                                        const AllocatorRules& rules, const Progress& progress);
// Of a report that has a snapshot, with the rules its facts state. invalid: it has none.
Result<AllocatorReplay> replayAllocator(const Report& report, const Progress& progress);

} // namespace lockstep
