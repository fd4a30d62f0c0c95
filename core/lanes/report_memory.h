// SPDX-License-Identifier: Apache-2.0
// ReportMemory: the memory data in a report, from a snapshot or from other files, prepared for lanes and
// panels. Contains the replayed allocator history, the purpose of the blocks of each stack, and levels of
// detail by purpose and by stack. Built on a worker with the other levels of detail of a report; immutable
// and shared like these.
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

// The drawing data for one device.
struct DeviceMemory {
    MemoryGroups stacks; // memory grouped by the stacks that allocate the most
    MemoryLod byCategory, byStack;
};

struct ReportMemory {
    AllocatorReplay replay;
    std::vector<MemoryCategory> categories; // by MemoryStackId
    std::vector<DeviceMemory> devices;      // parallel to replay.devices

    // Returns the axis of a device. `extent` is the displayed range, on the report's clock.
    MemoryAxis axis(uint32_t device, TimeRange extent) const
    {
        return {replay.devices[device], *replay.snapshot, extent};
    }

    size_t residentBytes() const; // excludes the snapshot, which belongs to the report
};

// Returns the GPU whose lanes contain the memory: the GPU with this ordinal in the subject's process,
// otherwise any GPU with this ordinal. Invalid for host memory, or if there is no such GPU.
DeviceId deviceOfSubject(const Report& report, const MemorySubject& subject);
// Returns whether a counter duplicates the report's memory lanes. The report must have memory lanes.
bool isCoveredByMemory(const Report& report, const CounterTrack& counter);

// Returns nullptr if the report has no snapshot, or if the job was canceled; check `progress`. Replays the
// snapshot; O(entries log entries).
std::shared_ptr<const ReportMemory> replayMemory(const Report& report, const Progress& progress);

} // namespace lockstep
