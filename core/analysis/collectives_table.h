// SPDX-License-Identifier: Apache-2.0
// The analysis `collectives`: every collective that several ranks took part in: how far apart they arrived,
// net of what their clocks are good to, how long the data took, who waited and who came last doing what.
// Spec: the wait of a rank is its duration minus the least duration over the ranks, which needs no aligned
// clocks.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// Arguments: ":ranks" gives one row per collective and rank, ":sum" one per process group and name, ":groups"
// one per process group with what was matched and why not.
Analysis collectivesAnalysis();

} // namespace lockstep
