// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_mem_time_sum: time of copies and memsets by operation, as the report of that name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuMemTimeSum();

} // namespace lockstep
