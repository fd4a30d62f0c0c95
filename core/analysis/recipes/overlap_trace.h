// SPDX-License-Identifier: Apache-2.0
// The nsys recipe nccl_gpu_overlap_trace (spec/nsys.md 6.3): for each kernel, the part that overlaps
// communication and computation on the same device. Lists either individual kernels or sums by kernel name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis ncclGpuOverlapTrace();

} // namespace lockstep
