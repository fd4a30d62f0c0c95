// SPDX-License-Identifier: Apache-2.0
// The tables of the `collectives` analysis, one function each.
#pragma once

#include "core/analysis/collective_selection.h"

namespace lockstep {

// One row per collective, by group and time.
Table collectiveTable(const AnalysisRequest& request, const CollectiveSelection& selection);
// One row per collective and rank.
Table collectiveRankTable(const AnalysisRequest& request, const CollectiveSelection& selection);
// One row per process group and collective name, with the largest total wait first.
Table collectiveSumTable(const AnalysisRequest& request, const CollectiveSelection& selection);
// One row per process group.
Table processGroupTable(const AnalysisRequest& request, const CollectiveSelection& selection);

} // namespace lockstep
