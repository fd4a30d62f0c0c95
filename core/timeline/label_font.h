// SPDX-License-Identifier: Apache-2.0
// LabelFont: advance widths of the font that labels are drawn in, so that layout can decide what fits without
// knowing fonts. Filled by the painter's side from its font; a value.
#pragma once

#include <array>
#include <string_view>

namespace lockstep {

struct LabelFont {
    std::array<float, 128> advance{}; // of ASCII characters, pixels
    float other = 8;                  // of every other character
    float ellipsis = 10;              // of U+2026

    // Sum of advances; kerning is left out, so this errs to the wide side.
    float widthOf(std::string_view text) const;
    // Every ASCII character `width` wide: for tests and lists as text.
    static LabelFont fixed(float width);
};

} // namespace lockstep
