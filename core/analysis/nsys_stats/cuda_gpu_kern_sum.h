// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_kern_sum: kernels grouped by name over all devices and processes, as the report of that name of
// nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernSum();

} // namespace lockstep
