// SPDX-License-Identifier: Apache-2.0
// The `stragglers` analysis: for each rank, how often it was the last to arrive at collectives, the cost for
// the other ranks, and what the rank was doing at that time. Lateness is derived from durations and therefore
// does not require aligned clocks. Aligned starts are shown next to the lateness.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// Lists ranks by the wait they caused, worst first.
Analysis stragglersAnalysis();

} // namespace lockstep
