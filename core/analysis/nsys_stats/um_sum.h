// SPDX-License-Identifier: Apache-2.0
// The um_sum analysis: unified-memory transfers between host and device and page faults, by virtual address
// of the pages, like the nsys stats report with this name. Throughput is exact, as in cuda_gpu_trace.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis umSum();

} // namespace lockstep
