// SPDX-License-Identifier: Apache-2.0
// Charts of tables as SVG text, for documents: bars of one column, and bars that parts fill to 100 %. Colours
// are the document's CSS variables, so that they follow its theme. Pure.
#pragma once

#include <string>

#include "core/analysis/table_chart.h"

namespace lockstep {

// text with what HTML and SVG take for markup spelt out, also inside quotes; not valid UTF-8 and control
// characters become U+FFFD.
std::string escapedMarkup(std::string_view text);

// At most so many letters: of a longer text both ends, which say more than the middle.
std::string shortenedText(const std::string& text, size_t letters);

// The chart that a table gets: of bars, whole or filled by parts, the first `most` rows that have the value.
// Empty for kinds that need a window: heat maps, histograms and series.
std::string chartSvg(const Table& table, const TableChart& chart, size_t most);

// A value for people: times in the unit that keeps them short ("12.304 ms"), other numbers with their unit.
std::string shownCell(const Table& table, size_t column, size_t row);

} // namespace lockstep
