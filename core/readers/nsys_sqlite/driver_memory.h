// SPDX-License-Identifier: Apache-2.0
// addDriverMemory(): the memory of a report from CUDA_GPU_MEMORY_USAGE_EVENTS: driver allocations of each
// process, by GPU and kind of memory. For PyTorch these are allocator segments, not tensors. Called by the
// import of an nsys export after its report is frozen, on its worker.
#pragma once

#include <span>

#include "core/readers/nsys_sqlite/export_reading.h"

namespace lockstep {

// Adds the memory to `report`, which must not be shared yet. The stack of a block is the API call with the
// block's correlation ID, inside the NVTX ranges of the call's thread. Does nothing if there are no events.
// The only possible error is ErrorKind::canceled. O(n log n + API calls).
Status addDriverMemory(Report& report, std::span<const DriverMemoryEvent> events,
                       std::span<const RoleCall> calls, const Progress& progress);

} // namespace lockstep
