// SPDX-License-Identifier: Apache-2.0
// Charts with axes of their own as SVG text: heat map, histogram and step series, drawn in the document's CSS
// classes. Called by chartSvg() alone, which says what holds for all charts. Pure; any thread.
#pragma once

#include <string>

#include "core/analysis/table_chart.h"

namespace lockstep {

// A chart's frame, as wide as all of them, height px high, with a line below it that says what is not drawn
// (empty: none). body is markup, title and note are texts.
std::string framedChart(const std::string& title, double height, std::string body, const std::string& note);

// Lines and moments that share a cell show their largest value. Empty without a cell.
std::string heatChartSvg(const Table& table, const TableChart& chart);
// Of the first name of the table; bars that share a pixel show the tallest.
std::string histogramSvg(const Table& table, const TableChart& chart);
// At most six curves, those farthest from the median mean, each with the 95 % interval of its mean as a band.
std::string seriesChartSvg(const Table& table, const TableChart& chart);

} // namespace lockstep
