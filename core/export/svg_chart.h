// SPDX-License-Identifier: Apache-2.0
// Charts of tables as SVG text, for documents: bars of one column, and bars that parts fill to 100 %. Colours
// are the document's CSS variables, so that they follow its theme. Pure.
#pragma once

#include <span>
#include <string>

#include "core/analysis/table.h"

namespace lockstep {

// text with what HTML and SVG take for markup spelt out, also inside quotes; not valid UTF-8 and control
// characters become U+FFFD.
std::string escapedMarkup(std::string_view text);

// At most so many letters: of a longer text both ends, which say more than the middle.
std::string shortenedText(const std::string& text, size_t letters);

// A bar a row, longest value as wide as the chart: the first `most` rows that have the value. Labels are the
// cells of `labels`, joined. Empty where no row has a value above 0.
std::string barChartSvg(const Table& table, std::span<const size_t> labels, size_t values, size_t most);

// A bar a row, filled by its parts: columns that are percentages of one whole. Empty without rows.
std::string stackedChartSvg(const Table& table, std::span<const size_t> labels, std::span<const size_t> parts,
                            size_t most);

// A value for people: times in the unit that keeps them short ("12.304 ms"), other numbers with their unit.
std::string shownCell(const Table& table, size_t column, size_t row);

} // namespace lockstep
