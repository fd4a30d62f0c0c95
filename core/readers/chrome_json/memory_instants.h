// SPDX-License-Identifier: Apache-2.0
// MemoryInstant: an allocation or free that PyTorch's profiler recorded as a "[memory]" instant. Collected by
// EventRows, placed by ReportAssembly after the file is parsed, and turned into the report's memory by
// addTorchMemory() after the report's slices are nested. One thread each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report.h"

namespace lockstep {

struct MemoryInstant {
    int64_t time_ns = 0;
    uint64_t offset = 0;     // offset of the object in the text
    uint64_t eventIndex = 0; // 0 if not in the file
    uint64_t address = 0;
    int64_t change_bytes = 0; // negative if freed
    int64_t recorded_bytes = kNotRecorded;
    int64_t reserved_bytes = kNotRecorded;
    int64_t device = -1; // GPU ordinal; -1 for the CPU
    uint32_t lane = 0;   // lane number in the worker
    bool isDeviceGuessed = false;
};

// An instant whose process and thread have IDs that are common to all workers.
struct PlacedInstant {
    MemoryInstant instant;
    int64_t process = 0;
    int64_t thread = 0;
};

// Returns the GPU ordinal, or -1 for the CPU. A GPU without a number counts as the first.
int64_t memoryDeviceOf(const EventArguments& args);
// Returns the memory instant of an event. Returns nullopt for other instants, and for memory instants without
// an address or a size.
std::optional<MemoryInstant> memoryInstantOf(const RawEvent& event, uint32_t lane);

// Adds the memory of these instants, in any order, to the frozen report; does nothing if there are no
// instants. The stack of a block consists of the ranges that were open on the block's thread at the time of
// the allocation: ops and, if recorded, Python functions. The only possible error is ErrorKind::canceled. O(n
// log n).
Status addTorchMemory(Report& report, std::vector<PlacedInstant> instants, const Progress& progress);

} // namespace lockstep
