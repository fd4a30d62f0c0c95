// SPDX-License-Identifier: Apache-2.0
// The `bottlenecks` analysis: reasons why a rank's GPUs are idle, by the rules and thresholds in the NeMo RL
// profiling guide (spec/rl_profilers.md 6.1, row 12). Each reason is listed with evidence, cost and suggested
// fix.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis bottlenecksAnalysis();

} // namespace lockstep
