// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/label_font.h"

namespace lockstep {

float LabelFont::widthOf(std::string_view text) const
{
    float width = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 128) {
            width += advance[byte];
        } else if (byte == 0xE2 && text.substr(i, 3) == "\u2026") {
            width += ellipsis;
        } else if (byte >= 0xC0) {
            width += other;
        }
    }
    return width;
}

LabelFont LabelFont::fixed(float width)
{
    LabelFont font;
    font.advance.fill(width);
    font.other = width;
    font.ellipsis = width;
    return font;
}

} // namespace lockstep
