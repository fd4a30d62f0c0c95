// SPDX-License-Identifier: Apache-2.0
// nccl_gpu_overlap_trace: of each kernel how much of it ran beside communication and beside computation of
// the same device, row by row or summed by name (nsys recipe; spec/nsys.md 6.3).
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis ncclGpuOverlapTrace();

} // namespace lockstep
