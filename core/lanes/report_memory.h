// SPDX-License-Identifier: Apache-2.0
// ReportMemory: a report's memory, from a snapshot or as other files tell of it, as lanes and panels look at
// it: the allocator's history replayed once, what the blocks of each stack are for, and levels of detail by
// both. Made with the report's levels of detail on a worker, immutable and shared like them.
#pragma once

#include <memory>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_axis.h"
#include "core/memory/memory_category.h"
#include "core/memory/memory_lod.h"
#include "core/trace/report.h"

namespace lockstep {

// What the lane of one device draws from.
struct DeviceMemory {
    MemoryGroups stacks; // the largest, by group
    MemoryLod byCategory, byStack;
};

struct ReportMemory {
    AllocatorReplay replay;
    std::vector<MemoryCategory> categories; // by MemoryStackId
    std::vector<DeviceMemory> devices;      // as replay.devices

    // extent: where it is shown, on the report's clock.
    MemoryAxis axis(uint32_t device, TimeRange extent) const
    {
        return {replay.devices[device], *replay.snapshot, extent};
    }

    size_t residentBytes() const; // without the snapshot, which is the report's
};

// Under whose lanes memory stands: of the GPU that its process numbers so, else of any that is called so.
// Invalid for the host's memory, and where there is none.
DeviceId deviceOfSubject(const Report& report, const MemorySubject& subject);
// True of a counter that says again what lanes of the report's memory show. The report must have some.
bool isSaidByMemory(const Report& report, const CounterTrack& counter);

// nullptr where the report has no snapshot, or where the job was stopped: who asked checks `progress`.
// O(entries log entries).
std::shared_ptr<const ReportMemory> replayMemory(const Report& report, const Progress& progress);

} // namespace lockstep
