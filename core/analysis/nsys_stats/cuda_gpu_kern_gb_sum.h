// SPDX-License-Identifier: Apache-2.0
// The cuda_gpu_kern_gb_sum analysis: kernels grouped by name, grid and block, like the nsys stats report with
// this name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernGbSum();

} // namespace lockstep
