// SPDX-License-Identifier: Apache-2.0
// The nsys recipes that show utilization and counters over time, in equal bins of the aligned axis.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// nsys recipes for sampled values. gpu_metric_util_map: mean SM Active, SM Issue and Tensor Active per GPU in
// equal time bins. network_sum: statistics of the rates of each network port counter.

Analysis gpuMetricUtilMap();
Analysis networkSum();

// The heat maps of the nsys recipes: device utilization in equal time bins (spec/nsys.md 6.3).
// cuda_gpu_time_util_map: by kernels. nccl_gpu_time_util_map: by communication, by other kernels, and by
// both.

Analysis cudaGpuTimeUtilMap();
Analysis ncclGpuTimeUtilMap();

} // namespace lockstep
