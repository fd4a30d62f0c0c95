// SPDX-License-Identifier: Apache-2.0
#include "core/export/markdown_text.h"

namespace lockstep {

namespace {

std::string markdownCell(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            out += ' ';
            continue;
        }
        if (std::string_view("|<*`\\").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

void writeMarkdownTable(const Table& table, const WriteOptions& options, const TextSink& sink)
{
    sink("### " + markdownCell(table.title()) + "\n\n");
    std::string names = "|", rule = "|";
    for (size_t column = 0; column < table.columnCount(); ++column) {
        names += " " + markdownCell(headerText(table, column, options.timeUnit)) + " |";
        rule += table.column(column).type == ColumnType::text ? " --- |" : " ---: |";
    }
    sink(names + "\n" + rule + "\n");
    for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
        std::string line = "|";
        for (size_t column = 0; column < table.columnCount(); ++column) {
            line += " " + markdownCell(cellText(table, column, row, options.timeUnit)) + " |";
        }
        sink(line + "\n");
    }
}

} // namespace

void writeMarkdown(std::span<const Table* const> tables, const WriteOptions& options, const TextSink& sink)
{
    for (size_t i = 0; i < tables.size(); ++i) {
        if (i > 0) sink("\n");
        writeMarkdownTable(*tables[i], options, sink);
    }
}

} // namespace lockstep
