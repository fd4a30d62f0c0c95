// SPDX-License-Identifier: Apache-2.0
// The nvtx_kern_sum and nvtx_gpu_proj_sum analyses, like the nsys stats reports with these names. The first
// lists kernels by the NVTX range in which they were launched. The second lists NVTX ranges by the time of
// the GPU work launched in them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxKernSum();
Analysis nvtxGpuProjSum();

} // namespace lockstep
