// SPDX-License-Identifier: Apache-2.0
// The small words of SVG charts: numbers, texts and rectangles as markup, round numbers for axes, and the
// unit that keeps an axis' numbers short. Used by what draws charts into documents and pictures. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

// text with what HTML and SVG take for markup spelt out, also inside quotes; not valid UTF-8 and control
// characters become U+FFFD.
std::string escapedMarkup(std::string_view text);
// At most so many letters: of a longer text both ends, which say more than the middle; of parts joined by
// " · " each keeps its own ends, the longest giving first.
std::string shortenedText(const std::string& text, size_t letters);

// A coordinate in px with at most one decimal: "12", "12.5". What is not finite is 0.
std::string svgNumber(double value);
// attributes: as they stand in the tag, "class=\"label\""; text is escaped here.
std::string svgText(double x, double y, std::string_view attributes, std::string_view text);
// told: what the pointer shows over it; empty for nothing.
std::string svgRect(double x, double y, double width, double height, std::string_view attributes,
                    std::string_view told = {});

// Round numbers (1, 2 or 5 times a power of ten apart) within from..to, about `count` of them, each with its
// text. from < to, both finite; empty otherwise.
struct AxisTick {
    double value = 0;
    std::string text;
};
std::vector<AxisTick> axisTicks(double from, double to, size_t count);

// Times in the unit that keeps them short, other numbers in the column's own.
struct AxisUnit {
    std::string name; // "ms"; empty for plain counts
    double size = 1;  // how many of the column's unit it is
};
AxisUnit axisUnitOf(const TableColumn& column, double largest);

} // namespace lockstep
