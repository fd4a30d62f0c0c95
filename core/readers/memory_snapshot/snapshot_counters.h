// SPDX-License-Identifier: Apache-2.0
// Computes requested, allocated and reserved bytes: at the dump, and over time from the history of a
// snapshot.
#pragma once

#include "core/base/progress.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Adds three facts per device: bytes requested (of allocated blocks), bytes allocated (allocated_size of the
// segments, otherwise the sizes of these blocks) and bytes reserved (total_size of the segments).
void addMemoryTotals(const MemorySnapshot& snapshot, std::vector<Fact>& facts);

// Adds two counter tracks per device with timed entries: "memory requested" (from alloc to free_requested;
// the history contains requested sizes, not allocated sizes) and "memory reserved" (bytes from cudaMalloc and
// mappings). The history is a ring buffer, so levels are computed backward from the state at the dump: level
// before the first entry = state at the dump - net change of all entries. A track has one sample before the
// first change and one sample per entry that changes the level. A negative level is noted. Checks progress
// between the tracks.
Status addMemoryCounters(const MemorySnapshot& snapshot, ProcessId process, ReportBuilder& builder,
                         const Progress& progress);

} // namespace lockstep
