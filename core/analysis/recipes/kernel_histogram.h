// SPDX-License-Identifier: Apache-2.0
// The nsys recipe cuda_gpu_kern_hist: a histogram of instance durations for each kernel, with bins of equal
// width between its shortest and its longest duration.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernHist();

} // namespace lockstep
