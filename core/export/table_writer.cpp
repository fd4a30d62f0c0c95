// SPDX-License-Identifier: Apache-2.0
#include "core/export/table_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/analysis/table_header.h"
#include "core/base/text.h"
#include "core/export/delimited_text.h"
#include "core/export/json_text.h"
#include "core/export/markdown_text.h"

namespace lockstep {

namespace {

// Writes tables as text for a terminal, with a title and aligned columns. Thousands are grouped by commas as
// in nsys stats, and long cells are shortened in the middle. A table too wide for any screen is written as
// one block of "name value" lines per row.

constexpr size_t kLongestText = 100; // characters per cell
constexpr size_t kWidestTable = 240; // characters per line

bool startsCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

size_t characterCount(std::string_view text)
{
    return static_cast<size_t>(std::ranges::count_if(text, startsCharacter));
}

// Returns the byte position of the n-th character.
size_t characterAt(std::string_view text, size_t n)
{
    size_t at = 0;
    for (; at < text.size(); ++at) {
        if (startsCharacter(text[at]) && n-- == 0) break;
    }
    return at;
}

// Shortens a long line in the middle.
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

class AlignedTextWriter : public DocumentWriter {
  public:
    using DocumentWriter::DocumentWriter;

    bool measuresFirst() const override { return true; }
    void measure(const Table& page, size_t count) override
    {
        measureHeaders(page);
        for (size_t column = 0; column < page.columnCount(); ++column) {
            for (size_t row = 0; row < count; ++row)
                m_widths[column] =
                    std::max(m_widths[column], characterCount(shortened(cell(page, column, row))));
        }
    }
    void begin(const Table& head) override
    {
        m_sink((std::exchange(m_isBegun, true) ? "\n" : "") + printable(head.title()) + "\n\n");
        measureHeaders(head);
        size_t line = 0;
        for (const size_t width : m_widths)
            line += width + 2;
        m_areBlocks = line > kWidestTable;
        m_hasRows = false;
        m_headerWidth = 0;
        for (size_t column = 0; column < head.columnCount(); ++column)
            m_headerWidth = std::max(m_headerWidth, characterCount(header(head, column)));
        if (m_areBlocks) return;
        writeLine(head, [&](size_t column) { return header(head, column); });
        writeLine(head, [&](size_t column) { return std::string(m_widths[column], '-'); });
    }
    void rows(const Table& page, size_t count) override
    {
        for (size_t row = 0; row < count; ++row) {
            if (m_areBlocks)
                writeBlock(page, row);
            else
                writeLine(page, [&](size_t column) { return shortened(cell(page, column, row)); });
        }
    }
    void end() override { m_widths.clear(); }

  private:
    std::string cell(const Table& page, size_t column, size_t row) const
    {
        return shownCell(page, column, row, m_options.timeUnit);
    }
    std::string header(const Table& table, size_t column) const
    {
        return headerText(table, column, m_options.timeUnit);
    }
    void measureHeaders(const Table& table)
    {
        for (size_t column = m_widths.size(); column < table.columnCount(); ++column)
            m_widths.push_back(characterCount(header(table, column)));
    }

    template<class TextOf>
    void writeLine(const Table& table, const TextOf& textOf)
    {
        std::string line;
        for (size_t column = 0; column < table.columnCount(); ++column) {
            const bool isNumber = table.column(column).type != ColumnType::text;
            line += (column > 0 ? "  " : "") + padded(textOf(column), m_widths[column], isNumber);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        m_sink(line + "\n");
    }

    void writeBlock(const Table& page, size_t row)
    {
        if (std::exchange(m_hasRows, true)) m_sink("\n");
        for (size_t column = 0; column < page.columnCount(); ++column) {
            const std::string text = cell(page, column, row);
            if (text.empty()) continue;
            m_sink(padded(header(page, column), m_headerWidth, false) + "  " + text + "\n");
        }
    }

    bool m_isBegun = false, m_areBlocks = false, m_hasRows = false;
    std::vector<size_t> m_widths;
    size_t m_headerWidth = 0;
};

std::unique_ptr<DocumentWriter> alignedTextWriter(const WriteOptions& options, const TextSink& sink)
{
    return std::make_unique<AlignedTextWriter>(options, sink);
}

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
    std::vector<std::unique_ptr<TableRowStream>> owned;
    std::vector<RowStream*> streams;
    for (const Table* const table : tables)
        streams.push_back(owned.emplace_back(std::make_unique<TableRowStream>(table)).get());
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
    return fileHeader(table, column, isTime ? timeUnitName(unit) : std::string_view());
}

} // namespace lockstep
