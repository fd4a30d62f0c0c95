// SPDX-License-Identifier: Apache-2.0
#include "core/export/markdown_text.h"

#include <utility>

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

class MarkdownWriter : public DocumentWriter {
  public:
    using DocumentWriter::DocumentWriter;

    void begin(const Table& head) override
    {
        if (std::exchange(m_isBegun, true)) m_sink("\n");
        m_sink("### " + markdownCell(head.title()) + "\n\n");
        std::string names = "|", rule = "|";
        for (size_t column = 0; column < head.columnCount(); ++column) {
            names += " " + markdownCell(headerText(head, column, m_options.timeUnit)) + " |";
            rule += head.column(column).type == ColumnType::text ? " --- |" : " ---: |";
        }
        m_sink(names + "\n" + rule + "\n");
    }
    void rows(const Table& page, size_t count) override
    {
        for (size_t row = 0; row < count; ++row) {
            std::string line = "|";
            for (size_t column = 0; column < page.columnCount(); ++column) {
                line += " " + markdownCell(cellText(page, column, row, m_options.timeUnit)) + " |";
            }
            m_sink(line + "\n");
        }
    }

  private:
    bool m_isBegun = false;
};

} // namespace

std::unique_ptr<DocumentWriter> markdownWriter(const WriteOptions& options, const TextSink& sink)
{
    return std::make_unique<MarkdownWriter>(options, sink);
}

} // namespace lockstep
