// SPDX-License-Identifier: Apache-2.0
// Image for `--export step_chart`: the duration of each training step, split by phase. The image is an SVG
// document with literal theme colors, so that all programs render it identically. Created from the
// rows of step_breakdown. Pure. Thread: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/training/step_breakdown.h"

namespace lockstep {

struct StepChartStyle {
    int width = 1920, height = 1080; // size of the image in pixels; text scales with the image
    bool isDark = false;
    std::vector<std::string> source; // sentences below the chart: reports and clocks
};

// Draws the chart. steps: result of step_breakdown, grouped by anything except step. The chart has one panel
// per group, all with the same axes. A note below the chart states how many groups and steps are not shown
// because there is no room. If several steps share a column, the longest is shown. Returns "" if there is no
// step. Deterministic.
std::string stepChartSvg(std::span<const StepRow> steps, GroupBy by, const StepChartStyle& style);

} // namespace lockstep
