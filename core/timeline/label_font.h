// SPDX-License-Identifier: Apache-2.0
// LabelFont: advance widths of the label font, from which layout computes which labels fit, without access to
// fonts. Filled by the painter from its font. Value type.
#pragma once

#include <array>
#include <string_view>

namespace lockstep {

struct LabelFont {
    std::array<float, 128> advance{}; // advance widths of ASCII characters, in pixels
    float other = 8;                  // advance width of all other characters
    float ellipsis = 10;              // advance width of the ellipsis, U+2026

    // Returns the sum of the advances. Kerning is ignored, so the result may be slightly too wide.
    float widthOf(std::string_view text) const;
    // Returns a font in which all ASCII characters have this width, for tests and for display lists written
    // as text.
    static LabelFont fixed(float width);
};

} // namespace lockstep
