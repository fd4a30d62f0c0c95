// SPDX-License-Identifier: Apache-2.0
// step_statistics: mean, spread and confidence of what training steps took, of phases, device work and
// kernels, and the same by step as a series.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis stepStatisticsAnalysis();

} // namespace lockstep
