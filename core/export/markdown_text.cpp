// SPDX-License-Identifier: Apache-2.0
#include "core/export/markdown_text.h"

#include <utility>

#include "core/base/text.h"

namespace lockstep {

namespace {

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

// GitHub's Markdown also turns bare addresses into links: http://..., www.... and a@b.c.
std::string markdownCell(std::string_view text)
{
    const std::string line = printable(text);
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        const std::string_view rest = std::string_view(line).substr(i);
        const bool isAddress = rest.starts_with("://") ||
                               (i >= 3 && rest[0] == '.' && lowerAscii(line.substr(i - 3, 3)) == "www");
        if (isAddress || std::string_view("|<*`\\[]!&~@").find(line[i]) != std::string_view::npos)
            out += '\\';
        out += line[i];
    }
    return out;
}

std::unique_ptr<DocumentWriter> markdownWriter(const WriteOptions& options, const TextSink& sink)
{
    return std::make_unique<MarkdownWriter>(options, sink);
}

} // namespace lockstep
