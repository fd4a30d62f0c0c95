// SPDX-License-Identifier: Apache-2.0
// The `nsys analyze` rules that list periods in which a GPU is idle or underutilized.
#pragma once

#include "core/analysis/analysis.h"
#include "core/analysis/gap_cause.h"
#include "core/analysis/nsys_rules/rule_table.h"

namespace lockstep {

// The gpu_gaps analysis: long idle periods on a GPU between the first and the last work of its process, as
// listed by `nsys analyze -r gpu_gaps`. An additional column after those of nsys states the cause of each
// gap.

// One gap; `longest` is the work after it.
struct GapRow : RuleRow {
    GapCause cause = GapCause::unknown;
    std::string note; // the evidence for the cause, in full sentences
};

// Returns the gaps, longest first. The only possible error is `canceled`.
Result<AnalysisRows<GapRow>> gpuGaps(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
