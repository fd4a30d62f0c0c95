// SPDX-License-Identifier: Apache-2.0
// bottlenecks: what keeps a rank's GPUs from working, by the rules and thresholds of the NeMo RL profiling
// guide (spec/rl_profilers.md 6.1, row 12), each with what it saw, what it costs and what to do.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis bottlenecksAnalysis();

} // namespace lockstep
