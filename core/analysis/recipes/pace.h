// SPDX-License-Identifier: Apache-2.0
// The pace of a run, measured by a marker that occurs once per iteration (a kernel or an NVTX range). Lists
// the duration of each iteration, its start, and its deviation from the mean over all ranks. Corresponds to
// the nsys recipes cuda_gpu_kern_pace and nvtx_pace (spec/nsys.md 6.3).
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernPace();
Analysis nvtxPace();

} // namespace lockstep
