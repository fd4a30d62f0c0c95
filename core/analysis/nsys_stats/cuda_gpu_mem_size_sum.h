// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_mem_size_sum: amounts moved by copies and memsets by operation, as the report of that name of nsys
// stats. MB are 10^6 bytes. Operations whose size the file does not state are left out and counted in the
// table's rules.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuMemSizeSum();

} // namespace lockstep
