// SPDX-License-Identifier: Apache-2.0
// AnsiText: a line of a program's output with its terminal escapes taken out and its colours kept as spans.
// Colours and bold are understood (SGR); every other escape sequence and control character is dropped. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct AnsiStyle {
    // 0..7 the terminal's colours in its order (black, red, green, yellow, blue, magenta, cyan, white), 8..15
    // their bright ones, 16..255 the cube and the greys; or 0x1RRGGBB for a colour given by value.
    std::optional<uint32_t> color;
    bool isBold = false;
    bool isDim = false;

    bool isPlain() const { return *this == AnsiStyle(); }
    friend bool operator==(const AnsiStyle&, const AnsiStyle&) = default;
};

// Bytes [begin, end) of the text have this style; what no span names is plain.
struct AnsiSpan {
    uint32_t begin = 0;
    uint32_t end = 0;
    AnsiStyle style;

    friend bool operator==(const AnsiSpan&, const AnsiSpan&) = default;
};

struct AnsiText {
    std::string text; // valid UTF-8; tabs widened to stops of 8
    std::vector<AnsiSpan> spans;
};

AnsiText ansiText(std::string_view line);

// The colour of the 6x6x6 cube and the greys, 16..255, as 0xRRGGBB.
uint32_t cubeColor(uint32_t index);

} // namespace lockstep
