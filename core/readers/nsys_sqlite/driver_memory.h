// SPDX-License-Identifier: Apache-2.0
// addDriverMemory(): the memory of a report from CUDA_GPU_MEMORY_USAGE_EVENTS: what the driver handed out to
// each process, by GPU and kind of memory. Of PyTorch these are the segments of its allocator, not tensors.
// Called by the import of an nsys export once its report is frozen, on its worker.
#pragma once

#include <span>

#include "core/readers/nsys_sqlite/export_reading.h"

namespace lockstep {

// report: not shared yet. The stack of a block is the API call that its correlation id names, within the NVTX
// ranges of that call's thread. Nothing for no events. canceled is the only error. O(n log n + API calls).
Status addDriverMemory(Report& report, std::span<const DriverMemoryEvent> events,
                       std::span<const RoleCall> calls, const Progress& progress);

} // namespace lockstep
