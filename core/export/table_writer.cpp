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

std::unique_ptr<DocumentWriter> writerOf(TableFormat format, const WriteOptions& options,
                                         const TextSink& sink, size_t tables)
{
    switch (format) {
    case TableFormat::table:
        return alignedTextWriter(options, sink);
    case TableFormat::tsv:
        return delimitedTextWriter(Delimiter::tab, options, sink);
    case TableFormat::json:
        return jsonWriter(options, sink);
    case TableFormat::jsonl:
        return jsonLinesWriter(tables, options, sink);
    case TableFormat::markdown:
        return markdownWriter(options, sink);
    case TableFormat::csv:
        break;
    }
    return delimitedTextWriter(Delimiter::comma, options, sink);
}

// Passes on the first `most` rows, or all rows if `most` is 0. Returns the number of these rows.
Result<size_t> forPages(RowStream& rows, size_t most, const Progress& progress,
                        const std::function<void(const Table&, size_t)>& visit)
{
    size_t visited = 0;
    while (most == 0 || visited < most) {
        LOCKSTEP_TRY(progress.check());
        const Table* const page = LOCKSTEP_TRY(rows.next(progress));
        if (page == nullptr) break;
        const size_t count = most == 0 ? page->rowCount() : std::min(most - visited, page->rowCount());
        visit(*page, count);
        visited += count;
    }
    return visited;
}

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
    std::vector<std::unique_ptr<TableRowStream>> held;
    std::vector<RowStream*> streams;
    for (const Table* const table : tables)
        streams.push_back(held.emplace_back(std::make_unique<TableRowStream>(table)).get());
    // Writing tables held in memory cannot fail.
    [[maybe_unused]] const Status written = writeRows(streams, format, options, sink, Progress());
}

Status writeRows(std::span<RowStream* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink, const Progress& progress, std::vector<size_t>* rowsWritten)
{
    const std::unique_ptr<DocumentWriter> writer = writerOf(format, options, sink, tables.size());
    for (RowStream* const rows : tables) {
        if (writer->measuresFirst()) {
            LOCKSTEP_TRY(forPages(*rows, options.rows, progress,
                                  [&](const Table& page, size_t count) { writer->measure(page, count); }));
            rows->restart();
        }
        writer->begin(rows->head());
        const size_t written =
            LOCKSTEP_TRY(forPages(*rows, options.rows, progress,
                                  [&](const Table& page, size_t count) { writer->rows(page, count); }));
        writer->end();
        if (rowsWritten != nullptr) rowsWritten->push_back(written);
    }
    writer->finish();
    return {};
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

} // namespace lockstep
