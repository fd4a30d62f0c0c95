// SPDX-License-Identifier: Apache-2.0
// Periods during which a profiler paused the program to write its buffers. These pauses are not the program's
// fault, so the rules about idle GPUs count them as work.
#pragma once

#include <vector>

#include "core/analysis/device_work.h"

namespace lockstep {

// Returns the flushes in one process between the start and end of its work: PROFILER_OVERHEAD rows named
// "CUDA profiling data flush ...", and CUPTI's "Buffer flush" rows, which Kineto names "Buffer Flush".
std::vector<TimeRange> profilerFlushes(const AnalysisRequest& request, const DeviceWork& work);

} // namespace lockstep
