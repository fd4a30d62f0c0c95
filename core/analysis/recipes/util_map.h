// SPDX-License-Identifier: Apache-2.0
// The heat maps of the nsys recipes: device utilization in equal time bins (spec/nsys.md 6.3).
// cuda_gpu_time_util_map: by kernels. nccl_gpu_time_util_map: by communication, by other kernels, and by
// both.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuTimeUtilMap();
Analysis ncclGpuTimeUtilMap();

} // namespace lockstep
