// SPDX-License-Identifier: Apache-2.0
#include "core/export/delimited_text.h"

namespace lockstep {

namespace {

std::string tsvCell(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '\t':
            out += "\\t";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\\':
            out += "\\\\";
            break;
        default:
            out += c;
        }
    }
    return out;
}

void writeTable(const Table& table, Delimiter delimiter, const WriteOptions& options, const TextSink& sink)
{
    const auto cell = delimiter == Delimiter::comma ? csvCell : tsvCell;
    const char between = delimiter == Delimiter::comma ? ',' : '\t';
    std::string line;
    const auto endLine = [&] {
        line += '\n';
        sink(line);
        line.clear();
    };
    for (size_t column = 0; column < table.columnCount(); ++column) {
        if (column > 0) line += between;
        line += cell(headerText(table, column, options.timeUnit));
    }
    endLine();
    for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
        for (size_t column = 0; column < table.columnCount(); ++column) {
            if (column > 0) line += between;
            line += cell(cellText(table, column, row, options.timeUnit));
        }
        endLine();
    }
}

} // namespace

void writeDelimitedText(std::span<const Table* const> tables, Delimiter delimiter,
                        const WriteOptions& options, const TextSink& sink)
{
    if (delimiter == Delimiter::comma) {
        for (const std::string& line : options.provenanceLines)
            sink("# " + line + "\n");
    }
    for (size_t i = 0; i < tables.size(); ++i) {
        if (i > 0) sink("\n");
        writeTable(*tables[i], delimiter, options, sink);
    }
}

std::string csvCell(std::string_view text)
{
    const auto isEdge = [](char c) { return c == ' ' || c == '\t' || c == '#'; };
    const bool needsQuotes = text.find_first_of(",\"\n\r") != text.npos ||
                             (!text.empty() && (isEdge(text.front()) || isEdge(text.back())));
    if (!needsQuotes) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

} // namespace lockstep
