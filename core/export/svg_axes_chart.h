// SPDX-License-Identifier: Apache-2.0
// Charts with axes as SVG markup: heat map, histogram and step series, drawn with the document's CSS classes.
// Called only by chartSvg(), whose comment applies to all charts. Pure. Thread: any.
#pragma once

#include <string>

#include "core/analysis/table_chart.h"

namespace lockstep {

// Returns the frame for a chart with the common width, height in px, and a note below it (empty: no note).
// body is markup; title and note are plain text.
std::string framedChart(const std::string& title, double height, std::string body, const std::string& note);

// Draws a heat map. If several lines or points in time share a cell, the cell shows their largest value.
// Returns "" if there is no cell.
std::string heatChartSvg(const Table& table, const TableChart& chart);
// Draws a histogram for the first name in the table. If several bars share a pixel, the tallest is shown.
std::string histogramSvg(const Table& table, const TableChart& chart);
// Draws at most six curves: those whose means are farthest from the median of all means. Each curve has the
// 95% interval of its mean as a band.
std::string seriesChartSvg(const Table& table, const TableChart& chart);

} // namespace lockstep
