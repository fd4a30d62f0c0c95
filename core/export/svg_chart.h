// SPDX-License-Identifier: Apache-2.0
// Charts of tables as SVG text, for documents, of every kind that chartOfTable() knows. Colours are the
// document's CSS classes and variables (.c0 .., .h0 .. for heat), so that they follow its theme. However many
// rows a table has, a chart stays below 200 KB: what finds no place of its own shares one, where the outlier
// wins, and the line below the chart says so. Pure; any thread.
#pragma once

#include <string>

#include "core/analysis/table_chart.h"
#include "core/export/svg_marks.h"

namespace lockstep {

// The chart that a table gets, with a line below it that says what is not drawn. Of bars, whole or filled by
// parts, at most `most`: of a table in falling order its first rows, else of so many neighbours the one
// farthest from the middle. Empty where no row has what it would show.
std::string chartSvg(const Table& table, const TableChart& chart, size_t most);

// A value for people: times in the unit that keeps them short ("12.304 ms"), other numbers with their unit.
std::string shownCell(const Table& table, size_t column, size_t row);

} // namespace lockstep
