// SPDX-License-Identifier: Apache-2.0
// StepChartData: the numbers of a step chart: of each group (rank, role ...) a bar a step, parted into
// phases. Made of the table step_breakdown, drawn by stepChartSvg(). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

// One step of one group. Times in ns are means over the processes that were added up (the column `parts`), so
// that parts add up to wall whatever their number.
struct StepBar {
    size_t slot = 0; // where on the common axis of steps
    double wall_ns = 0;
    std::vector<double> parts_ns; // by StepChartData::parts
};

struct StepChartGroup {
    std::string name;          // "rank 3"; empty of a chart without groups
    std::vector<StepBar> bars; // by slot
};

struct StepChartData {
    std::vector<std::string> parts; // phases that some step has, as the table orders them, then "outside"
    std::vector<std::string> slots; // numbers of the steps, ascending; "?" where none is known
    std::vector<StepChartGroup> groups;
    std::vector<std::string> rules; // how steps and phases were told, a sentence each
    std::vector<std::string>
        flaws; // what a reader would miss: steps that processes lack, phases never closed
    double longest_ns = 0;
};

// steps: of the analysis step_breakdown, in any grouping but by step. Empty groups: no row has a wall time.
StepChartData stepChartData(const Table& steps);

} // namespace lockstep
