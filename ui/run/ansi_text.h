// SPDX-License-Identifier: Apache-2.0
// AnsiText: one line of a program's output, without terminal escape sequences. Colors are stored as spans.
// SGR colors and bold are supported; all other escape sequences and control characters are dropped. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct AnsiStyle {
    // 0..7: the terminal's colors (black, red, green, yellow, blue, magenta, cyan, white). 8..15: their
    // bright variants. 16..255: the color cube and the grays. 0x1RRGGBB: a color given as an RGB value.
    std::optional<uint32_t> color;
    bool isBold = false;
    bool isDim = false;

    bool isPlain() const { return *this == AnsiStyle(); }
    friend bool operator==(const AnsiStyle&, const AnsiStyle&) = default;
};

// The style of bytes [begin, end) of the text. Text outside all spans is plain.
struct AnsiSpan {
    uint32_t begin = 0;
    uint32_t end = 0;
    AnsiStyle style;

    friend bool operator==(const AnsiSpan&, const AnsiSpan&) = default;
};

struct AnsiText {
    std::string text; // valid UTF-8; tabs expanded to stops of 8
    std::vector<AnsiSpan> spans;
};

// Parses one line of terminal output. If the line is not valid UTF-8, it is repaired and its colors are
// dropped.
AnsiText ansiText(std::string_view line);

// Returns color 16..255 (the 6x6x6 cube and the grays) as 0xRRGGBB.
uint32_t cubeColor(uint32_t index);

} // namespace lockstep
