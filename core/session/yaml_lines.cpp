// SPDX-License-Identifier: Apache-2.0
#include "core/session/yaml_lines.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kNone = std::string_view::npos;

class Scanner {
  public:
    YamlLine scan(std::string_view whole)
    {
        YamlLine line;
        line.text = whole;
        std::string_view text = whole;
        while (text.ends_with('\n') || text.ends_with('\r'))
            text.remove_suffix(1);
        const size_t indent = std::min(text.find_first_not_of(' '), text.size());
        const bool isBlank = text.find_first_not_of(" \t") == kNone;
        if (m_blockIndent != kNone) {
            if (isBlank || indent > m_blockIndent) {
                line.isInValue = true;
                line.contentSize = text.size();
                return line;
            }
            m_blockIndent = kNone;
        }
        line.isInValue = m_quote != '\0';
        size_t end = text.size();
        m_before = '\0';
        for (size_t at = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (m_quote != '\0') {
                at = inQuote(text, at);
            } else if (c == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t')) {
                line.comment = text.substr(at);
                end = at;
                break;
            } else if (c == ' ' || c == '\t') {
                continue;
            } else {
                plain(text, at);
            }
            if (m_quote == '\0') m_before = text[std::min(at, text.size() - 1)];
        }
        const size_t last = text.substr(0, end).find_last_not_of(" \t");
        line.contentSize = last == kNone ? 0 : last + 1;
        return line;
    }

  private:
    // Returns true if a value may begin here: after ':' and
    // similar characters, or at the beginning of the line.
    bool isStart() const { return m_before == '\0' || std::string_view(":,[{-?").find(m_before) != kNone; }

    size_t inQuote(std::string_view text, size_t at)
    {
        const char c = text[at];
        if (m_quote == '"' && c == '\\') return at + 1;
        if (c != m_quote) return at;
        const bool isDoubled = c == '\'' && at + 1 < text.size() && text[at + 1] == '\'';
        if (isDoubled) return at + 1;
        m_quote = '\0';
        m_before = 'q';
        return at;
    }

    void plain(std::string_view text, size_t at)
    {
        const char c = text[at];
        if ((c == '"' || c == '\'') && isStart()) {
            m_quote = c;
        } else if ((c == '[' || c == '{') && isStart()) {
            ++m_flow;
        } else if ((c == ']' || c == '}') && m_flow > 0) {
            --m_flow;
        } else if ((c == '|' || c == '>') && isStart() && m_flow == 0) {
            const size_t rest = text.find_first_not_of("0123456789+-", at + 1);
            const bool isHeader = rest == kNone || text[rest] == ' ' || text[rest] == '\t';
            if (isHeader) m_blockIndent = indentOfKey(text);
        }
    }

    // Returns the column of the first key or value in the line, after the list dashes.
    size_t indentOfKey(std::string_view text)
    {
        size_t at = std::min(text.find_first_not_of(' '), text.size());
        while (text.substr(at).starts_with("- ") && text.find(':', at) != kNone)
            at = std::min(text.find_first_not_of(' ', at + 1), text.size());
        return at;
    }

    char m_quote = '\0';
    char m_before = '\0'; // last non-blank character of this line
    int m_flow = 0;
    size_t m_blockIndent = kNone; // lines indented by more than this belong to a block scalar
};

} // namespace

std::vector<YamlLine> yamlLines(std::string_view text)
{
    std::vector<YamlLine> lines;
    Scanner scanner;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const size_t size = end == kNone ? text.size() : end + 1;
        lines.push_back(scanner.scan(text.substr(0, size)));
        text.remove_prefix(size);
    }
    return lines;
}

} // namespace lockstep
