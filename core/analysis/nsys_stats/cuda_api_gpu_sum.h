// SPDX-License-Identifier: Apache-2.0
// cuda_api_gpu_sum: CUDA calls, kernels, copies and memsets in one table with one base of percentages, as the
// report of that name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiGpuSum();

} // namespace lockstep
