// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hydra_grammar.h"

#include <cctype>

namespace lockstep::test {

namespace {

// Recursive descent over:
//   override  := ('+' | '++')? key '=' value? | '~' key ('=' value?)?
//   key       := part ('.' part)*       part := [A-Za-z_$][A-Za-z0-9_$-]* | [0-9]+
//   value     := list | dict | quoted | bare
//   bare      := (letter | digit | one of _ - / + . $ % * @ ? | : blank | '\' and one of \()[]{}:=, blank |
//   '${'...'}')+
class Grammar {
  public:
    explicit Grammar(std::string_view word) : m_word(word) {}

    std::string problem()
    {
        const bool removes = take('~');
        if (!removes && take('+')) take('+');
        if (!key()) return at("key");
        if (m_at == m_word.size()) return removes ? "" : at("'='");
        if (!take('=')) return at("'='");
        if (m_at == m_word.size()) return {};
        if (!value()) return at("value");
        return m_at == m_word.size() ? "" : at("end");
    }

  private:
    std::string at(const char* wanted) const
    {
        return std::string(wanted) + " expected at " + std::to_string(m_at);
    }
    char peek() const { return m_at < m_word.size() ? m_word[m_at] : '\0'; }
    bool take(char c)
    {
        if (m_at >= m_word.size() || m_word[m_at] != c) return false;
        ++m_at;
        return true;
    }
    static bool letter(char c)
    {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
    }
    static bool digit(char c) { return c >= '0' && c <= '9'; }

    bool key()
    {
        do {
            if (digit(peek())) {
                while (digit(peek()))
                    ++m_at;
                continue;
            }
            if (!letter(peek()) && peek() != '_' && peek() != '$') return false;
            while (letter(peek()) || digit(peek()) || peek() == '_' || peek() == '-' || peek() == '$')
                ++m_at;
        } while (take('.'));
        return true;
    }

    void blanks()
    {
        while (peek() == ' ' || peek() == '\t')
            ++m_at;
    }

    bool value()
    {
        blanks();
        const char c = peek();
        const bool ok = c == '['                ? sequence(']', false)
                        : c == '{'              ? sequence('}', true)
                        : c == '"' || c == '\'' ? quoted()
                                                : bare();
        blanks();
        return ok;
    }

    bool sequence(char end, bool dict)
    {
        ++m_at;
        blanks();
        if (take(end)) return true;
        do {
            if (dict) {
                blanks();
                const size_t begin = m_at;
                while (letter(peek()) || digit(peek()) || std::string_view("_-/+.%*@?|").find(peek()) < 10)
                    ++m_at;
                if (m_at == begin) return false;
                blanks();
                if (!take(':')) return false;
            }
            if (!value()) return false;
        } while (take(','));
        return take(end);
    }

    // The quote ends the text unless an odd number of backslashes precedes it.
    bool quoted()
    {
        const char quote = m_word[m_at++];
        size_t slashes = 0;
        for (; m_at < m_word.size(); ++m_at) {
            if (m_word[m_at] == quote && slashes % 2 == 0) {
                ++m_at;
                return true;
            }
            slashes = m_word[m_at] == '\\' ? slashes + 1 : 0;
        }
        return false;
    }

    bool bare()
    {
        const size_t begin = m_at;
        while (m_at < m_word.size()) {
            const char c = peek();
            const char next = m_at + 1 < m_word.size() ? m_word[m_at + 1] : '\0';
            if (c == '$' && next == '{') {
                const size_t end = m_word.find('}', m_at);
                if (end == std::string_view::npos) return false;
                m_at = end + 1;
            } else if (c == '\\' && next != '\0' &&
                       std::string_view("\\()[]{}:=, \t").find(next) != std::string_view::npos) {
                m_at += 2;
            } else if (letter(c) || digit(c) ||
                       std::string_view("_-/+.$%*@?|: \t\\").find(c) != std::string_view::npos) {
                ++m_at;
            } else {
                break;
            }
        }
        return m_at > begin;
    }

    std::string_view m_word;
    size_t m_at = 0;
};

} // namespace

std::string hydraGrammarProblem(std::string_view word)
{
    return Grammar(word).problem();
}

} // namespace lockstep::test
