// SPDX-License-Identifier: Apache-2.0
// AnsiText: one line of a program's output, without terminal escape sequences. Colors are stored as spans.
// SGR colors and bold are supported. TerminalLine also applies the sequences that move the cursor in a line
// or erase a part of it. All other escape sequences and control characters are dropped. Pure; any thread.
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

// Parses one line of terminal output. Escape sequences that move the cursor are ignored. If the line is not
// valid UTF-8, it is repaired and its colors are dropped.
AnsiText ansiText(std::string_view line);
// Returns whether the text moves the cursor back or erases a part of the line, so that it needs a
// TerminalLine.
bool movesCursor(std::string_view text);

// TerminalLine is a line of a terminal with a cursor, to which a program writes. \r moves the cursor to the
// first column, and the text that follows overwrites the line column by column, as in a terminal: a shorter
// text leaves the end of the longer text in place, unless the program erases it. One code point is one
// column.
class TerminalLine {
  public:
    // Text beyond this column is counted in cut_bytes() and not stored.
    static constexpr size_t kMaxColumns = 4096;

    // Replaces the content; the cursor moves to the first column.
    void load(const AnsiText& content);
    // Writes text without \n. Applies \r, \b, tabs, colors and the sequences for cursor columns and for
    // erasing in the line; ignores other sequences.
    void write(std::string_view text);
    // Empties the line for the next one, which begins in the default style.
    void clear() { *this = TerminalLine(); }
    // Sets the column to which \r moves the cursor, so that the columns before it are not overwritten.
    void setHome(size_t column) { m_home = column; }

    bool isEmpty() const { return m_cells.empty(); }
    size_t cut_bytes() const { return m_cut_bytes; }
    // Returns the content without the blanks at its end.
    AnsiText content() const;

  private:
    struct Cell {
        char32_t character = U' ';
        AnsiStyle style;
    };

    void put(char32_t character, size_t length_bytes);
    void applyControl(std::string_view sequence);

    std::vector<Cell> m_cells;
    AnsiStyle m_style; // style of the text that is written next
    size_t m_column = 0;
    size_t m_home = 0;
    size_t m_cut_bytes = 0;
};

// Returns color 16..255 (the 6x6x6 cube and the grays) as 0xRRGGBB.
uint32_t cubeColor(uint32_t index);

} // namespace lockstep
