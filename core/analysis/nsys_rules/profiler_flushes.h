// SPDX-License-Identifier: Apache-2.0
// Moments at which a profiler held up the program to write out what it had recorded: no fault of the program,
// so the rules about idle GPUs take them for work.
#pragma once

#include <vector>

#include "core/analysis/device_work.h"

namespace lockstep {

// Of one process, within the extent of the work: PROFILER_OVERHEAD rows named "CUDA profiling data flush
// ..." and CUPTI's "Buffer flush", which Kineto spells "Buffer Flush".
std::vector<TimeRange> profilerFlushes(const AnalysisRequest& request, const DeviceWork& work);

} // namespace lockstep
