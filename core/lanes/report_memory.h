// SPDX-License-Identifier: Apache-2.0
// ReportMemory: a report's memory snapshot as lanes and panels look at it: the allocator's history replayed
// once, and what the blocks of each stack are for. Made with the report's levels of detail on a worker,
// immutable and shared like them.
#pragma once

#include <memory>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"
#include "core/trace/report.h"

namespace lockstep {

struct ReportMemory {
    AllocatorReplay replay;
    std::vector<MemoryCategory> categories; // by MemoryStackId

    size_t residentBytes() const; // without the snapshot, which is the report's
};

// nullptr where the report has no snapshot, or where the job was stopped: who asked checks `progress`.
// O(entries log entries).
std::shared_ptr<const ReportMemory> replayMemory(const Report& report, const Progress& progress);

} // namespace lockstep
