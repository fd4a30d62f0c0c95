// SPDX-License-Identifier: Apache-2.0
// The `step_breakdown` analysis: the composition of each training step by group, i.e. the phases of a
// reinforcement-learning step, device work by class, and bubbles.
#pragma once

#include "core/analysis/analysis.h"
#include "core/analysis/table_columns.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

// One step of one group.
struct StepRow {
    GroupKey group;
    SliceRef longest;            // the longest range that marks the step; invalid if no range does
    std::optional<int64_t> step; // unset if unknown
    std::string from;            // the rule that defines the step
    int64_t members = 0;         // ranks of the roles that have the step, or processes if ranks are unknown
    int64_t missing = 0;         // other members of the group that lack this step
    int64_t parts = 0;           // number of processes in `times`, counted once per report
    std::optional<int64_t> span_ns; // on the aligned axis
    StepTimes times;
    std::string phaseNames; // "rollout: a, b; update: c": the names of the ranges of each phase
};

// Returns the steps by group, then by number. The only possible error is `canceled`.
Result<AnalysisRows<StepRow>> stepBreakdown(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
