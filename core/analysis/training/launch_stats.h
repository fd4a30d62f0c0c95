// SPDX-License-Identifier: Apache-2.0
// launch_stats: what it took to launch GPU work, and how long the work then waited, as HTA's
// get_cuda_kernel_launch_stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis launchStatsAnalysis();

} // namespace lockstep
