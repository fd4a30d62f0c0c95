// SPDX-License-Identifier: Apache-2.0
// nvtx_kern_sum, nvtx_gpu_proj_sum: kernels by the NVTX ranges they were launched in, and ranges by the time
// of the GPU work launched in them, as `nsys stats` lists them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxKernSum();
Analysis nvtxGpuProjSum();

} // namespace lockstep
