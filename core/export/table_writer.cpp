// SPDX-License-Identifier: Apache-2.0
#include "core/export/table_writer.h"

#include <algorithm>
#include <array>

#include "core/export/aligned_text.h"
#include "core/export/delimited_text.h"
#include "core/export/json_text.h"
#include "core/export/markdown_text.h"

namespace lockstep {

namespace {

struct FormatNames {
    std::string_view name;
    std::string_view extension;
};

constexpr std::array<FormatNames, 6> kFormats{{{"table", "txt"},
                                               {"csv", "csv"},
                                               {"tsv", "tsv"},
                                               {"json", "json"},
                                               {"jsonl", "jsonl"},
                                               {"markdown", "md"}}};
constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};

} // namespace

std::optional<TableFormat> tableFormatNamed(std::string_view name)
{
    const auto found = std::ranges::find(kFormats, name, &FormatNames::name);
    if (found == kFormats.end()) return std::nullopt;
    return static_cast<TableFormat>(found - kFormats.begin());
}

std::string_view tableFormatName(TableFormat format)
{
    return kFormats[static_cast<size_t>(format)].name;
}

std::string_view fileExtension(TableFormat format)
{
    return kFormats[static_cast<size_t>(format)].extension;
}

std::optional<TimeUnit> timeUnitNamed(std::string_view name)
{
    const auto found = std::ranges::find(kUnits, name);
    if (found == kUnits.end()) return std::nullopt;
    return static_cast<TimeUnit>(found - kUnits.begin());
}

std::string_view timeUnitName(TimeUnit unit)
{
    return kUnits[static_cast<size_t>(unit)];
}

void writeTables(std::span<const Table* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink)
{
    switch (format) {
    case TableFormat::table:
        return writeAlignedText(tables, options, sink);
    case TableFormat::csv:
        return writeDelimitedText(tables, Delimiter::comma, options, sink);
    case TableFormat::tsv:
        return writeDelimitedText(tables, Delimiter::tab, options, sink);
    case TableFormat::json:
        return writeJson(tables, options, sink);
    case TableFormat::jsonl:
        return writeJsonLines(tables, options, sink);
    case TableFormat::markdown:
        return writeMarkdown(tables, options, sink);
    }
}

std::string cellText(const Table& table, size_t column, size_t row, TimeUnit unit)
{
    const TableColumn& shown = table.column(column);
    if (shown.type != ColumnType::time || !table.hasNumber(column, row)) return table.cell(column, row);
    return fixedPointText(table.number(column, row), shown.decimals + 3 * static_cast<int>(unit));
}

std::string headerText(const Table& table, size_t column, TimeUnit unit)
{
    const bool isTime = table.column(column).type == ColumnType::time;
    return table.header(column, isTime ? timeUnitName(unit) : std::string_view());
}

size_t rowsToWrite(const Table& table, const WriteOptions& options)
{
    return options.rows == 0 ? table.rowCount() : std::min(options.rows, table.rowCount());
}

} // namespace lockstep
