// SPDX-License-Identifier: Apache-2.0
// kernel_breakdown: what GPUs did by class of kernels and by what ran at once, or by the names of kernels, as
// HTA's get_gpu_kernel_breakdown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis kernelBreakdownAnalysis();

} // namespace lockstep
