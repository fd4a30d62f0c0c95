// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_kern_hist of nsys recipe: how long the instances of each kernel took, counted in bins of equal
// width between its shortest and its longest.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernHist();

} // namespace lockstep
