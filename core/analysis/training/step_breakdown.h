// SPDX-License-Identifier: Apache-2.0
// The `step_breakdown` analysis: the composition of each training step by group, i.e. the phases of a
// reinforcement-learning step, device work by class, and bubbles.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis stepBreakdownAnalysis();

} // namespace lockstep
