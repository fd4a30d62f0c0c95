// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that sum NVTX ranges, and the kernels launched within them, by name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// The nvtx_sum, nvtx_pushpop_sum and nvtx_startend_sum analyses: NVTX ranges grouped by "domain:name", like
// the nsys stats reports with these names. A range that was never closed ends at the latest end of any other
// NVTX range in the report.

Analysis nvtxSum();
Analysis nvtxPushPopSum();
Analysis nvtxStartEndSum();
// nsys recipe nccl_sum: the ranges in the NCCL domain, grouped by name.
Analysis ncclSum();

// The nvtx_kern_sum and nvtx_gpu_proj_sum analyses, like the nsys stats reports with these names. The first
// lists kernels by the NVTX range in which they were launched. The second lists NVTX ranges by the time of
// the GPU work launched in them.

Analysis nvtxKernSum();
Analysis nvtxGpuProjSum();

} // namespace lockstep
