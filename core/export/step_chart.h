// SPDX-License-Identifier: Apache-2.0
// The picture of `--export step_chart`: how long each training step took and which phases it spent it in, as
// one SVG text with the literal colours of a theme, so that any program shows the same. Made by an export of
// the table step_breakdown. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

struct StepChartLook {
    int width = 1920, height = 1080; // pixels; texts grow with the picture
    bool isDark = false;
    std::vector<std::string> source; // sentences below the chart: which reports, which clocks
};

// steps: of the analysis step_breakdown, in any grouping but by step; a panel a group, all on the same axes.
// Groups and steps that find no room are counted below the chart; of steps that share a place the longest is
// drawn. Empty where the table has no step. The same bytes each time.
std::string stepChartSvg(const Table& steps, const StepChartLook& look);

} // namespace lockstep
