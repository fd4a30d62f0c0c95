// SPDX-License-Identifier: Apache-2.0
// The heat maps of nsys recipe: how much of each of equal bins of time a device was used.
// cuda_gpu_time_util_map: by kernels; nccl_gpu_time_util_map: by communication, by other kernels, and by both
// at once (spec/nsys.md 6.3).
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuTimeUtilMap();
Analysis ncclGpuTimeUtilMap();

} // namespace lockstep
