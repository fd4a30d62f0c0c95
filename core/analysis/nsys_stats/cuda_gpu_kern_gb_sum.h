// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_kern_gb_sum: kernels grouped by name, grid and block, as the report of that name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernGbSum();

} // namespace lockstep
