// SPDX-License-Identifier: Apache-2.0
// The `step_statistics` analysis: mean, spread and confidence interval for the durations of training steps,
// phases, device work and kernels, either summarized or as a series by step.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis stepStatisticsAnalysis();

} // namespace lockstep
