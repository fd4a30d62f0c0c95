// SPDX-License-Identifier: Apache-2.0
// RunFindings: the findings in the visible reports, worst first. Each finding is one sentence for all
// affected ranks, with its cost per step, its threshold, and suggested fixes. The findings are computed from
// the rows of other analyses, whose names are listed. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/training/bottlenecks.h"
#include "core/base/interval_set.h"

namespace lockstep {

// The value measured for one rank (or report).
struct FindingBar {
    std::string label;
    double value = 0;
    bool isFlagged = false; // the value is beyond the threshold; without a threshold: it is the largest value
};

struct RunFinding {
    FindingSeverity severity = FindingSeverity::medium;
    std::string rule;     // "low_gpu_utilization", or the table that found it
    std::string sentence; // "GPU idle 55.6 % of the time on rank 5 (worst of 8)"
    std::string fix;      // the first suggested fix
    std::vector<std::string> advice;
    std::vector<FindingBar> bars;    // values by rank
    std::string caption;             // caption of the bars: "GPU busy (%)"
    std::string unit;                // unit of the bars and of the threshold
    std::optional<double> threshold; // nullopt: the rule has no threshold
    int64_t cost_ns = 0; // GPU time that the most affected rank lost in all steps; 0 for slow kernels,
                         // because these keep the GPU busy
    std::vector<std::pair<std::string, std::string>> reasons; // evidence, as heading and text
    SliceRef show;                                            // slice that is shown when the finding is
                                                              // clicked
    IntervalSet lost; // times of the loss for all ranks, on the aligned axis; empty if the rule gives no
                      // times
};

struct RunFindings {
    std::vector<RunFinding> found; // sorted by severity, then cost; a late rank is listed before the findings
                                   // that it caused
    std::vector<std::string> ran;  // the analyses, as arguments for runAnalysis()
    int64_t steps = 0;   // number of steps in the range; 0 if no step is known, in which case costs are
                         // for the whole range
    int64_t lost_ns = 0; // total lost time; overlapping losses are counted once
    size_t untimedFindings =
        0; // number of findings not included in lost_ns because their rules give no times
    size_t reports = 0;
    // Converts a cost to a cost per step, or returns the cost for the whole range if no step is known.
    int64_t costAStep_ns(int64_t cost_ns) const { return steps > 0 ? cost_ns / steps : cost_ns; }
};

// The only possible error is `canceled`.
Result<RunFindings> findingsOf(const Scene& scene, const Scope& scope, const Progress& progress);

// Returns findings as the table that the request `what` names.
Table findingsTable(std::string_view what, const RunFindings& findings);

} // namespace lockstep
