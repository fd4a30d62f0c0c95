// SPDX-License-Identifier: Apache-2.0
// The `collectives` analysis: one row per collective with several participating ranks. Shows the arrival skew
// (net of clock error), the transfer time, the waiting ranks, and the activity of the last rank to arrive. By
// the spec, the wait of a rank is its duration minus the shortest duration on any rank, which does not
// require aligned clocks.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// Arguments: ":ranks" gives one row per collective and rank. ":sum" gives one row per process group and name.
// ":groups" gives one row per process group with the match results and the reasons for missing matches.
Analysis collectivesAnalysis();

} // namespace lockstep
