// SPDX-License-Identifier: Apache-2.0
#include "core/export/aligned_text.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kLongestText = 100; // characters of a cell
constexpr size_t kWidestTable = 240; // characters of a line

bool startsCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

size_t characterCount(std::string_view text)
{
    return static_cast<size_t>(std::ranges::count_if(text, startsCharacter));
}

// Byte position of the n-th character.
size_t characterAt(std::string_view text, size_t n)
{
    size_t at = 0;
    for (; at < text.size(); ++at) {
        if (startsCharacter(text[at]) && n-- == 0) break;
    }
    return at;
}

// The middle is left out when the line is too long.
std::string shortened(const std::string& line)
{
    const size_t count = characterCount(line);
    if (count <= kLongestText) return line;
    const size_t half = kLongestText / 2;
    return line.substr(0, characterAt(line, half)) + "\u2026" +
           line.substr(characterAt(line, count - half + 1));
}

std::string groupedNumber(std::string text)
{
    const size_t begin = text.starts_with('-') ? 1 : 0;
    const size_t end = std::min(text.find('.'), text.size());
    for (size_t at = end; at > begin + 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string shownCell(const Table& table, size_t column, size_t row, TimeUnit unit)
{
    if (table.column(column).type == ColumnType::text) return printable(table.text(column, row));
    return groupedNumber(cellText(table, column, row, unit));
}

std::string padded(const std::string& text, size_t width, bool toTheRight)
{
    const std::string gap(width - std::min(width, characterCount(text)), ' ');
    return toTheRight ? gap + text : text + gap;
}

std::vector<size_t> columnWidths(const Table& table, const WriteOptions& options)
{
    std::vector<size_t> widths;
    for (size_t column = 0; column < table.columnCount(); ++column) {
        size_t width = characterCount(headerText(table, column, options.timeUnit));
        for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
            width =
                std::max(width, characterCount(shortened(shownCell(table, column, row, options.timeUnit))));
        }
        widths.push_back(width);
    }
    return widths;
}

void writeLines(const Table& table, const std::vector<size_t>& widths, const WriteOptions& options,
                const TextSink& sink)
{
    const auto writeLine = [&](const auto& cell) {
        std::string line;
        for (size_t column = 0; column < table.columnCount(); ++column) {
            const bool isNumber = table.column(column).type != ColumnType::text;
            line += (column > 0 ? "  " : "") + padded(cell(column), widths[column], isNumber);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        sink(line + "\n");
    };
    writeLine([&](size_t column) { return headerText(table, column, options.timeUnit); });
    writeLine([&](size_t column) { return std::string(widths[column], '-'); });
    for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
        writeLine([&](size_t column) { return shortened(shownCell(table, column, row, options.timeUnit)); });
    }
}

void writeBlocks(const Table& table, const WriteOptions& options, const TextSink& sink)
{
    size_t width = 0;
    for (size_t column = 0; column < table.columnCount(); ++column) {
        width = std::max(width, characterCount(headerText(table, column, options.timeUnit)));
    }
    for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
        if (row > 0) sink("\n");
        for (size_t column = 0; column < table.columnCount(); ++column) {
            const std::string cell = shownCell(table, column, row, options.timeUnit);
            if (cell.empty()) continue;
            sink(padded(headerText(table, column, options.timeUnit), width, false) + "  " + cell + "\n");
        }
    }
}

} // namespace

void writeAlignedText(std::span<const Table* const> tables, const WriteOptions& options, const TextSink& sink)
{
    for (size_t i = 0; i < tables.size(); ++i) {
        const Table& table = *tables[i];
        sink((i > 0 ? "\n" : "") + printable(table.title()) + "\n\n");
        const std::vector<size_t> widths = columnWidths(table, options);
        size_t line = 0;
        for (const size_t width : widths)
            line += width + 2;
        if (line > kWidestTable) {
            writeBlocks(table, options, sink);
        } else {
            writeLines(table, widths, options, sink);
        }
    }
}

} // namespace lockstep
