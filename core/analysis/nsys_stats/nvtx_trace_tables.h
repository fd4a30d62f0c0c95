// SPDX-License-Identifier: Apache-2.0
// nvtx_pushpop_trace, nvtx_gpu_proj_trace: NVTX ranges one by one, as a tree and as the time of the GPU work
// that was launched within them, as `nsys stats` lists them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxPushPopTrace();
Analysis nvtxGpuProjTrace();

} // namespace lockstep
