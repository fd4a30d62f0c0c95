// SPDX-License-Identifier: Apache-2.0
// The `launch_stats` analysis: the duration of launch calls and the delay between launch and execution, as in
// HTA's get_cuda_kernel_launch_stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis launchStatsAnalysis();

} // namespace lockstep
