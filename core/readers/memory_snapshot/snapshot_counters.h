// SPDX-License-Identifier: Apache-2.0
// Requested, allocated and reserved bytes: at the dump, and over time from a snapshot's history.
#pragma once

#include "core/base/progress.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Adds three facts per device: bytes requested (of blocks that are handed out), allocated (handed out for it:
// allocated_size of the segments, else the sizes of these blocks) and reserved (total_size of the segments).
void addMemoryTotals(const MemorySnapshot& snapshot, std::vector<Fact>& facts);

// Adds two counter tracks per device that has timed entries: "memory requested" (between alloc and
// free_requested, whose sizes are as requested; what the allocator handed out for them is not in the history)
// and "memory reserved" (cudaMalloc'ed and mapped bytes). The history is a ring buffer, so levels are counted
// back from the state at the dump: level before the first entry = state at the dump - net change of the
// entries. One sample before the first change and one per entry that changes the level. A level that would
// come out below zero is noted. Checks progress between the tracks.
Status addMemoryCounters(const MemorySnapshot& snapshot, ProcessId process, ReportBuilder& builder,
                         const Progress& progress);

} // namespace lockstep
