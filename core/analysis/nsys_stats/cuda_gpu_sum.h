// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_sum: kernels, copies and memsets in one table with one base of percentages, as the report of that
// name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuSum();

} // namespace lockstep
