// SPDX-License-Identifier: Apache-2.0
// The cuda_gpu_trace analysis: individual kernels, copies and memsets sorted by start, with launch
// configuration or bytes moved, like the nsys stats report with this name. Throughput is exact. nsys first
// divides 10^9 by the duration in integer arithmetic, so its values for long copies are too low.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuTrace();

} // namespace lockstep
