// SPDX-License-Identifier: Apache-2.0
#include "core/export/delimited_text.h"

#include <utility>

#include "core/base/text.h"

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

class DelimitedTextWriter : public DocumentWriter {
  public:
    DelimitedTextWriter(Delimiter delimiter, const WriteOptions& options, const TextSink& sink)
        : DocumentWriter(options, sink), m_cell(delimiter == Delimiter::comma ? csvCell : tsvCell),
          m_between(delimiter == Delimiter::comma ? ',' : '\t')
    {
        if (delimiter != Delimiter::comma) return;
        for (const std::string& line : options.provenanceLines)
            m_sink("# " + printable(line) + "\n");
    }

    void begin(const Table& head) override
    {
        if (std::exchange(m_isBegun, true)) m_sink("\n");
        writeLine(head, [&](size_t column) { return headerText(head, column, m_options.timeUnit); });
    }
    void rows(const Table& page, size_t count) override
    {
        for (size_t row = 0; row < count; ++row)
            writeLine(page, [&](size_t column) { return cellText(page, column, row, m_options.timeUnit); });
    }

  private:
    template<class TextOf>
    void writeLine(const Table& table, const TextOf& textOf)
    {
        m_line.clear();
        for (size_t column = 0; column < table.columnCount(); ++column) {
            if (column > 0) m_line += m_between;
            m_line += m_cell(spreadsheetText(textOf(column)));
        }
        m_line += '\n';
        m_sink(m_line);
    }

    std::string (*m_cell)(std::string_view);
    char m_between;
    bool m_isBegun = false;
    std::string m_line;
};

} // namespace

std::unique_ptr<DocumentWriter> delimitedTextWriter(Delimiter delimiter, const WriteOptions& options,
                                                    const TextSink& sink)
{
    return std::make_unique<DelimitedTextWriter>(delimiter, options, sink);
}

bool startsFormula(std::string_view cell)
{
    return !cell.empty() && std::string_view("=+-@\t").find(cell[0]) != std::string_view::npos &&
           !parseDouble(cell);
}

std::string spreadsheetText(std::string_view text)
{
    const std::string safe = printable(text, "\n\t");
    return startsFormula(safe) ? "'" + safe : safe;
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
