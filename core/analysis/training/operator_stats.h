// SPDX-License-Identifier: Apache-2.0
// operator_stats: of each framework operator how often it was called, what it took on the CPU with and
// without the operators within it, and what the GPU did for it, as torch.profiler's key_averages() tells it.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis operatorStatsAnalysis();

} // namespace lockstep
