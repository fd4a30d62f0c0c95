// SPDX-License-Identifier: Apache-2.0
// The cuda_gpu_kern_sum analysis: kernels grouped by name over all devices and processes, like the nsys stats
// report with this name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuKernSum();

} // namespace lockstep
