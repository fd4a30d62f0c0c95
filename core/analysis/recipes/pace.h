// SPDX-License-Identifier: Apache-2.0
// The pace of a run by a marker that comes once an iteration, a kernel or an NVTX range: how long each
// iteration took, when it was reached, and how far from the mean of all ranks (nsys recipe cuda_gpu_kern_pace
// and nvtx_pace; spec/nsys.md 6.3).
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernPace();
Analysis nvtxPace();

} // namespace lockstep
