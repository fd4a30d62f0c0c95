// SPDX-License-Identifier: Apache-2.0
// Helpers for SVG charts: numbers, labels and rectangles as markup, round axis values, and units that keep
// axis numbers short. Used by all charts in documents and images. Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

// Escapes HTML and SVG markup in text; the result is also safe in attributes. Invalid UTF-8 and control
// characters become U+FFFD.
std::string escapedMarkup(std::string_view text);
// Shortens a string to at most `letters` characters by cutting out its middle, because both ends are more
// informative. If segments are joined by " · ", each segment keeps its ends, and the longest segment is
// shortened first.
std::string shortenedText(const std::string& text, size_t letters);

// Returns a coordinate in px with at most one decimal: "12", "12.5". Non-finite values become 0.
std::string svgNumber(double value);
// Returns a text element. attributes: as written in the tag, e.g. "class=\"label\"". `text` is escaped here.
std::string svgText(double x, double y, std::string_view attributes, std::string_view text);
// Returns a rectangle. told: tooltip; empty: no tooltip.
std::string svgRect(double x, double y, double width, double height, std::string_view attributes,
                    std::string_view tooltip = {});

// AxisTick is an axis value with its label. axisTicks() returns about `count` values within from..to, spaced
// by 1, 2 or 5 times a power of ten. The result is empty unless from < to and both are finite.
struct AxisTick {
    double value = 0;
    std::string text;
};
std::vector<AxisTick> axisTicks(double from, double to, size_t count);

// AxisUnit is the unit of an axis: for times, a unit that keeps the numbers short; otherwise the column's own
// unit.
struct AxisUnit {
    std::string name; // "ms"; empty for plain counts
    double size = 1;  // size of this unit in the column's unit
};
AxisUnit axisUnitOf(const TableColumn& column, double largest);

} // namespace lockstep
