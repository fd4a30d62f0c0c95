// SPDX-License-Identifier: Apache-2.0
// A parser for the JSON subset of a settings file: one object of strings, numbers, booleans and lists of
// them.
#include "capture/inject/settings.h"

namespace lockstep::capture {

namespace {

class FlatJson {
  public:
    explicit FlatJson(std::string_view text) : m_text(text) {}

    bool read(std::map<std::string, std::string>& fields)
    {
        if (!take('{')) return false;
        if (take('}')) return true;
        do {
            std::string key, value;
            if (!quoted(key) || !take(':') || !any(value)) return false;
            fields[key] = value;
        } while (take(','));
        return take('}');
    }

  private:
    static constexpr int kDeepest = 8;

    void skipBlanks()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    bool take(char wanted)
    {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != wanted) return false;
        ++m_at;
        return true;
    }
    // Supports \u escapes for ASCII only, because settings are names and paths.
    bool quoted(std::string& out)
    {
        if (!take('"')) return false;
        for (; m_at < m_text.size(); ++m_at) {
            char c = m_text[m_at];
            if (c == '"') return ++m_at, true;
            if (c == '\\') {
                if (++m_at >= m_text.size()) return false;
                c = m_text[m_at];
                if (c == 'n')
                    c = '\n';
                else if (c == 't')
                    c = '\t';
                else if (c == 'u') {
                    if (m_at + 4 >= m_text.size()) return false;
                    c = static_cast<char>(
                        std::strtol(std::string(m_text.substr(m_at + 1, 4)).c_str(), nullptr, 16));
                    m_at += 4;
                }
            }
            out += c;
        }
        return false;
    }
    // Flattens nested lists. Lists nested more than kDeepest levels are rejected, so that the recursion does
    // not overflow the stack of the program.
    bool any(std::string& out, int depth = 0)
    {
        skipBlanks();
        if (m_at >= m_text.size() || depth > kDeepest) return false;
        if (m_text[m_at] == '"') return quoted(out);
        if (take('[')) {
            if (take(']')) return true;
            do {
                if (!out.empty()) out += ',';
                if (m_at < m_text.size() && !any(out, depth + 1)) return false;
            } while (take(','));
            return take(']');
        }
        const size_t end = m_text.find_first_of(",}] \t\r\n", m_at);
        if (end == std::string_view::npos || end == m_at || m_text[m_at] == '{') return false;
        const std::string_view word = m_text.substr(m_at, end - m_at);
        m_at = end;
        if (word == "null") return true;
        out += word;
        return true;
    }

    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

std::map<std::string, std::string> flatJson(std::string_view text)
{
    std::map<std::string, std::string> fields;
    if (!FlatJson(text).read(fields)) fields.clear();
    return fields;
}

} // namespace lockstep::capture
