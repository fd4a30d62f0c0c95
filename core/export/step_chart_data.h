// SPDX-License-Identifier: Apache-2.0
// StepChartData holds the numbers in a step chart: for each group (rank, role ...) one bar per step, split
// into phases. Created from the rows of step_breakdown and drawn by stepChartSvg(). Pure. Thread: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/training/step_breakdown.h"

namespace lockstep {

// StepBar is one step in one group. Times are in ns, as means over the processes that were summed (the
// `parts` column). The means of the phases therefore add up to `wall` for any number of processes.
struct StepBar {
    size_t slot = 0; // position of the step on the common step axis
    double wall_ns = 0;
    std::vector<double> parts_ns; // by StepChartData::parts
};

struct StepChartGroup {
    std::string name;          // "rank 3"; empty in a chart without groups
    std::vector<StepBar> bars; // bars by slot
};

struct StepChartData {
    std::vector<std::string> parts; // phases that occur in any step, in table order, then "outside"
    std::vector<std::string> slots; // step numbers, ascending; "?" if unknown
    std::vector<StepChartGroup> groups;
    std::vector<std::string> rules;   // how steps and phases were identified, one sentence each
    std::vector<std::string> defects; // what is incomplete: steps missing in some processes, phases never
                                      // closed
    double longest_ns = 0;
};

// Creates the data. steps: result of step_breakdown, grouped by anything except step.
StepChartData stepChartData(std::span<const StepRow> steps, GroupBy by);

} // namespace lockstep
