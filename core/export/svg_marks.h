// SPDX-License-Identifier: Apache-2.0
// Helpers for SVG charts: numbers, labels and rectangles as markup. Used by all charts in documents and
// images. Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>

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
// Returns a rectangle. An empty tooltip adds none.
std::string svgRect(double x, double y, double width, double height, std::string_view attributes,
                    std::string_view tooltip = {});

} // namespace lockstep
