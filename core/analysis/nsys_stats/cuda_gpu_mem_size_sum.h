// SPDX-License-Identifier: Apache-2.0
// The cuda_gpu_mem_size_sum analysis: bytes moved by copies and memsets, by operation, like the nsys stats
// report with this name. 1 MB is 10^6 bytes. Operations without a recorded size are excluded; the table's
// rules state their number.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuMemSizeSum();

} // namespace lockstep
