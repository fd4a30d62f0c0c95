// SPDX-License-Identifier: Apache-2.0
// step_breakdown: what each training step was made of: phases of a reinforcement-learning step, device work
// by class, and bubbles, by group.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis stepBreakdownAnalysis();

} // namespace lockstep
