// SPDX-License-Identifier: Apache-2.0
// The `operator_stats` analysis: for each framework operator, the number of calls, the CPU time with and
// without nested operators, and the GPU time, as in torch.profiler's key_averages().
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis operatorStatsAnalysis();

} // namespace lockstep
