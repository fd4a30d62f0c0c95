// SPDX-License-Identifier: Apache-2.0
// Charts of tables as SVG markup, for every kind returned by chartOfTable(). Colors are the document's CSS
// classes and variables (.c0 ..., .h0 ... for heat), so that they follow its theme. A chart remains below 200
// KB for any number of rows. If several rows share a place, the chart shows the outlier and a note below the
// chart states this. Pure. Thread: any.
#pragma once

#include <string>

#include "core/analysis/table_chart.h"
#include "core/export/svg_marks.h"

namespace lockstep {

// Draws a table's chart, with a note below it that states what is not drawn. Bar charts have at most `most`
// bars: the first rows if the table is in descending order, otherwise the row farthest from the median in
// each run of rows. Returns "" if no row has a value.
std::string chartSvg(const Table& table, const TableChart& chart, size_t most);

// Formats a value for display: times in a unit that keeps them short ("12.304 ms"), other numbers with their
// own unit.
std::string shownCell(const Table& table, size_t column, size_t row);

} // namespace lockstep
