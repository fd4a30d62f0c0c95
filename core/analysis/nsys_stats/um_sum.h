// SPDX-License-Identifier: Apache-2.0
// um_sum: what unified memory moved between host and device and how often it faulted, by the virtual address
// of the pages, as the report of that name of nsys stats. Throughput is exact, as in cuda_gpu_trace.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis umSum();

} // namespace lockstep
