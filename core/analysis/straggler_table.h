// SPDX-License-Identifier: Apache-2.0
// The analysis `stragglers`: per rank, how often it came last to collectives, what that cost the others, and
// what it was doing then. Lateness is read from durations, which needs no aligned clocks; aligned starts
// stand beside it.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// Ranks by the wait they caused, the worst first.
Analysis stragglersAnalysis();

} // namespace lockstep
