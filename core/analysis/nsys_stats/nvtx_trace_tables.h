// SPDX-License-Identifier: Apache-2.0
// The nvtx_pushpop_trace and nvtx_gpu_proj_trace analyses, like the nsys stats reports with these names. Both
// list individual NVTX ranges: the first as a tree, the second projected onto the GPU work that was launched
// in them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxPushPopTrace();
Analysis nvtxGpuProjTrace();

} // namespace lockstep
