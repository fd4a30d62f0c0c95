// SPDX-License-Identifier: Apache-2.0
// MemoryInstant: an allocation or a free that PyTorch's profiler recorded, a "[memory]" instant. Gathered by
// EventRows, placed by ReportAssembly once the file is parsed, and made the report's memory by
// addTorchMemory() once its slices are nested. One thread each.
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
    uint64_t offset = 0;     // of its object in the text
    uint64_t eventIndex = 0; // 0: the file has none
    uint64_t address = 0;
    int64_t change_bytes = 0; // below zero: freed
    int64_t stated_bytes = kNotStated;
    int64_t reserved_bytes = kNotStated;
    int64_t device = -1; // GPU ordinal; -1: the CPU's
    uint32_t lane = 0;   // of its worker
    bool isDeviceGuessed = false;
};

// One with its process and thread as all workers number them.
struct PlacedInstant {
    MemoryInstant instant;
    int64_t process = 0;
    int64_t thread = 0;
};

// -1: the CPU's. A GPU whose number is missing counts as the first.
int64_t memoryDeviceOf(const EventArguments& args);
// Empty for other instants, and for those without an address or a size.
std::optional<MemoryInstant> memoryInstantOf(const RawEvent& event, uint32_t lane);

// Gives the frozen report the memory of these instants, in any order; nothing for none. The stack of a block
// is what ran on its thread when it was allocated: ops and, where the trace has them, Python functions.
// canceled is the only error. O(n log n).
Status addTorchMemory(Report& report, std::vector<PlacedInstant> instants, const Progress& progress);

} // namespace lockstep
