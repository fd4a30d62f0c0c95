// SPDX-License-Identifier: Apache-2.0
// The `kernel_breakdown` analysis: GPU time by kernel class and overlap of classes, or by kernel name, as in
// HTA's get_gpu_kernel_breakdown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis kernelBreakdownAnalysis();

} // namespace lockstep
