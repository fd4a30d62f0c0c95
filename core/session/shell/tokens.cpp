// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/tokens.h"

#include <algorithm>

#include "core/session/shell/builtins.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxBrackets = 60; // maximum nesting depth of brackets

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool endsWord(char c)
{
    return isBlank(c) || std::string_view("\n;&|()<>").find(c) != npos;
}

// Skips to the position after the closing bracket, starting after the opening bracket. Inside double quotes,
// the apostrophe in "${x:-it's}" is an ordinary character.
size_t endOfBrackets(std::string_view text, size_t at, char open, char close, int depth, bool isQuoted);

size_t endOfDollar(std::string_view text, size_t at, int depth, bool isQuoted = false)
{
    if (depth > kMaxBrackets) return npos;
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (next == '(') return endOfBrackets(text, at + 2, '(', ')', depth + 1, false);
    if (next == '{') return endOfBrackets(text, at + 2, '{', '}', depth + 1, isQuoted);
    return at + 1;
}

size_t endOfQuoteAt(std::string_view text, size_t at, int depth)
{
    if (depth > kMaxBrackets) return npos;
    const char quote = text[at];
    for (size_t i = at + 1; i < text.size();) {
        if (text[i] == quote) return i + 1;
        if (quote == '\'') {
            ++i;
        } else if (text[i] == '\\') {
            i += 2;
        } else if (quote == '"' && (text[i] == '$' || text[i] == '`')) {
            i = text[i] == '`' ? endOfQuoteAt(text, i, depth + 1) : endOfDollar(text, i, depth + 1, true);
            if (i == npos) return npos;
        } else {
            ++i;
        }
    }
    return npos;
}

size_t endOfBrackets(std::string_view text, size_t at, char open, char close, int depth, bool isQuoted)
{
    int level = 1;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '\\') {
            at += 2;
        } else if ((c == '\'' && !isQuoted) || c == '"' || c == '`') {
            at = endOfQuoteAt(text, at, depth + 1);
        } else if (c == '$') {
            at = endOfDollar(text, at, depth, isQuoted);
        } else {
            if (c == open) ++level;
            if (c == close && --level == 0) return at + 1;
            ++at;
        }
        if (at == npos) return npos;
    }
    return npos;
}

class Lexer {
  public:
    Lexer(std::string_view text, int firstLine) : m_text(text), m_line(firstLine), m_firstLine(firstLine) {}

    Result<Tokens> split()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (m_made.tokens.size() > kMaxTokens) return fail(m_at, "more than 200000 words");
            if (isBlank(c)) {
                ++m_at;
            } else if (c == '#') {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (c == '\\' && lineEndAfter(m_at + 1) > 0) {
                m_at += 1 + lineEndAfter(m_at + 1);
                ++m_line;
            } else if (c == '\n') {
                add(Token::Kind::op, 1);
                ++m_line;
                skipHeredocs();
            } else if (isRedirect()) {
                redirect();
            } else if (std::string_view(";&|()").find(c) != npos) {
                LOCKSTEP_TRY(op());
            } else {
                LOCKSTEP_TRY(word());
            }
        }
        return std::move(m_made);
    }

  private:
    tl::unexpected<Error> fail(size_t at, std::string_view reason) const
    {
        const std::string_view before = m_text.substr(0, at);
        const size_t begin = before.rfind('\n') == npos ? 0 : before.rfind('\n') + 1;
        const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + m_firstLine;
        return makeError(ErrorKind::invalid,
                         locationText({line, static_cast<int>(at - begin) + 1}) + ": " + std::string(reason));
    }

    // Returns the length of the line end at `at`, or 0.
    size_t lineEndAfter(size_t at) const
    {
        if (m_text.substr(at).starts_with("\n")) return 1;
        return m_text.substr(at).starts_with("\r\n") ? 2 : 0;
    }

    void add(Token::Kind kind, size_t length)
    {
        m_made.tokens.push_back({kind, m_text.substr(m_at, length), m_line});
        m_line += kind == Token::Kind::op && m_text[m_at] == '\n'
                      ? 0
                      : static_cast<int>(
                            std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_at),
                                       m_text.begin() + static_cast<std::ptrdiff_t>(m_at + length), '\n'));
        m_at += length;
    }

    bool isCommandStart() const
    {
        if (m_made.tokens.empty()) return true;
        const Token& last = m_made.tokens.back();
        if (last.kind == Token::Kind::op) return last.text != ")";
        for (const char* word : {"if", "elif", "while", "until", "then", "else", "do", "!", "{", "for"}) {
            if (last.isWord(word)) return true;
        }
        return false;
    }

    // Matches "<" or ">" with an optional number before it, "&>" and "&>>", but not a process substitution.
    bool isRedirect() const
    {
        size_t at = m_at;
        while (at < m_text.size() && m_text[at] >= '0' && m_text[at] <= '9')
            ++at;
        if (at == m_at && m_text.substr(at).starts_with("&>")) return true;
        if (at >= m_text.size() || (m_text[at] != '<' && m_text[at] != '>')) return false;
        return at + 1 >= m_text.size() || m_text[at + 1] != '(';
    }

    void redirect()
    {
        size_t end = m_at;
        while (m_text[end] != '<' && m_text[end] != '>')
            ++end;
        for (const std::string_view which : {"<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"}) {
            if (!m_text.substr(end).starts_with(which)) continue;
            if (which == "<<" || which == "<<-")
                m_waiting.push_back({m_made.tokens.size() + 1, which == "<<-", m_line});
            end += which.size();
            break;
        }
        add(Token::Kind::redirect, end - m_at);
    }

    Status op()
    {
        if (!m_hasOpenCount && m_text.substr(m_at).starts_with("((") && isCommandStart()) {
            const size_t end = endOfBrackets(m_text, m_at + 1, '(', ')', 0, false);
            if (end != npos && m_text[end - 2] == ')') {
                add(Token::Kind::count, end - m_at);
                return {};
            }
            m_hasOpenCount = end == npos;
        }
        for (const std::string_view which : {";;&", ";;", ";&", "&&", "||", "|&"}) {
            if (!m_text.substr(m_at).starts_with(which)) continue;
            add(Token::Kind::op, which.size());
            return {};
        }
        add(Token::Kind::op, 1);
        return {};
    }

    // Returns the position after the character, quote or expansion at `at`, or npos if its end is missing.
    size_t stepOver(size_t at) const
    {
        const char c = m_text[at];
        if (c == '\\') return at + 2;
        if (c == '\'' || c == '"' || c == '`') return endOfQuoteAt(m_text, at, 0);
        return c == '$' ? endOfDollar(m_text, at, 0) : at + 1;
    }

    // Reads "[[ ... ]]" up to a separate "]]".
    Status test()
    {
        size_t at = m_at + 2;
        while (at < m_text.size()) {
            if (m_text.substr(at).starts_with("]]") && isBlank(m_text[at - 1]) &&
                (at + 2 >= m_text.size() || endsWord(m_text[at + 2]))) {
                add(Token::Kind::test, at + 2 - m_at);
                return {};
            }
            at = stepOver(at);
            if (at == npos) break;
        }
        return fail(m_at, "this [[ is never closed");
    }

    Status word()
    {
        if (m_text.substr(m_at, 2) == "[[" && isCommandStart() && m_at + 2 < m_text.size() &&
            isBlank(m_text[m_at + 2]))
            return test();
        size_t at = m_at;
        while (at < m_text.size() && !endsWord(m_text[at])) {
            const char c = m_text[at];
            const size_t begin = at;
            if (c == '\\') {
                at = std::min(at + 2, m_text.size());
            } else if (c == '\'' || c == '"' || c == '`') {
                at = endOfQuoteAt(m_text, at, 0);
            } else if (c == '$' && m_text.substr(at, 2) == "$'") {
                at = endOfAnsiQuote(at + 1);
            } else if (c == '$') {
                at = endOfDollar(m_text, at, 0);
            } else {
                ++at;
            }
            if (at == npos) {
                const bool isQuote = c == '\'' || c == '"' || c == '`';
                return fail(begin, isQuote ? "this quote is never closed" : "this bracket is never closed");
            }
        }
        if (at < m_text.size() && m_text[at] == '(') {
            LOCKSTEP_TRY(arrayEnd(at));
        }
        // A process substitution is one word.
        if (at == m_at && m_text.substr(at + 1).starts_with("(")) {
            at = endOfBrackets(m_text, at + 2, '(', ')', 0, false);
            if (at == npos) return fail(m_at, "this bracket is never closed");
        }
        at = std::max(at, m_at + 1);
        add(Token::Kind::word, at - m_at);
        return {};
    }

    size_t endOfAnsiQuote(size_t at) const
    {
        for (size_t i = at + 1; i < m_text.size(); ++i) {
            if (m_text[i] == '\\') {
                ++i;
            } else if (m_text[i] == '\'') {
                return i + 1;
            }
        }
        return npos;
    }

    // After "NAME=" or "NAME+=", the '(' at `at` opens an array, in which '#' begins comments.
    Status arrayEnd(size_t& at) const
    {
        std::string_view name = m_text.substr(m_at, at - m_at);
        if (!name.ends_with('=')) return {};
        name.remove_suffix(name.ends_with("+=") ? 2 : 1);
        if (!isEnvironmentName(name)) return {};
        const size_t open = at++;
        while (at < m_text.size() && m_text[at] != ')') {
            const char c = m_text[at];
            const bool atStart = isBlank(m_text[at - 1]) || m_text[at - 1] == '\n' || at == open + 1;
            if (c == '#' && atStart) {
                at = std::min(m_text.find('\n', at), m_text.size());
            } else {
                at = stepOver(at);
            }
            if (at == npos) break;
        }
        if (at >= m_text.size()) return fail(open, "this bracket is never closed");
        ++at;
        return {};
    }

    struct Waiting {
        size_t word; // index of the token that contains the end marker
        bool tabs;
        int line;
    };

    // At the beginning of a line, skips the bodies of the here-documents that were opened on the previous
    // line.
    void skipHeredocs()
    {
        for (const Waiting& one : m_waiting) {
            std::string end;
            if (one.word < m_made.tokens.size()) end = m_made.tokens[one.word].text;
            std::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
            while (m_at < m_text.size()) {
                const size_t next = std::min(m_text.find('\n', m_at), m_text.size());
                std::string_view line = m_text.substr(m_at, next - m_at);
                m_at = std::min(next + 1, m_text.size());
                ++m_line;
                if (line.ends_with('\r')) line.remove_suffix(1);
                while (one.tabs && line.starts_with('\t'))
                    line.remove_prefix(1);
                if (line == end) break;
            }
            m_made.heredocs.push_back({one.line, m_line - 1});
        }
        m_waiting.clear();
    }

    std::string_view m_text;
    size_t m_at = 0;
    int m_line;
    int m_firstLine;
    bool m_hasOpenCount = false; // an unclosed "((" was found, so the search for its end is not repeated
    Tokens m_made;
    std::vector<Waiting> m_waiting;
};

} // namespace

Result<Tokens> splitShellTokens(std::string_view text, int firstLine)
{
    return Lexer(text, firstLine).split();
}

size_t endOfExpansion(std::string_view text, size_t at)
{
    return text[at] == '`' ? endOfQuoteAt(text, at, 0) : endOfDollar(text, at, 0);
}

size_t endOfQuote(std::string_view text, size_t at)
{
    return endOfQuoteAt(text, at, 0);
}

bool Cursor::atListEnd() const
{
    if (atEnd()) return true;
    const bool isOp = here().kind == Token::Kind::op;
    if (!isOp && here().kind != Token::Kind::word) return false;
    for (const std::string_view op : {")", ";;", ";&", ";;&"}) {
        if (isOp && here().text == op) return true;
    }
    for (const std::string_view word : {"then", "do", "done", "fi", "else", "elif", "esac", "}"}) {
        if (!isOp && here().text == word) return true;
    }
    return false;
}

void Cursor::step(size_t count)
{
    if (m_tokens != nullptr) m_at = std::min(m_at + count, m_tokens->size());
}

bool Cursor::takeWord(std::string_view word)
{
    const bool found = isHere(word);
    if (found) step();
    return found;
}

bool Cursor::takeOp(std::string_view op)
{
    const bool found = isOpHere(op);
    if (found) step();
    return found;
}

void Cursor::skipNewlines()
{
    while (takeOp("\n")) {
    }
}

void Cursor::skipSeparators()
{
    while (takeOp("\n") || takeOp(";") || takeOp("&")) {
    }
}

void Cursor::skipRedirects()
{
    while (!atEnd() && here().kind == Token::Kind::redirect)
        step(2);
}

Simple Cursor::takeSimple()
{
    Simple made;
    made.line = line();
    made.isDefinition = takeWord("function");
    for (; !atEnd() && here().kind != Token::Kind::op; step()) {
        const Token& token = here();
        if (token.kind == Token::Kind::redirect) {
            made.isRedirected = true;
            const bool hasTarget =
                m_at + 1 < m_tokens->size() && (*m_tokens)[m_at + 1].kind != Token::Kind::op;
            if (hasTarget) step();
        } else if (made.words.empty() && isAssignment(token.text)) {
            made.assignments.push_back(token.text);
        } else if (made.isDefinition && !made.words.empty()) {
            break;
        } else {
            made.words.push_back(token.text);
        }
    }
    if (made.words.size() == 1 && made.assignments.empty() && takeOp("(")) {
        made.isDefinition = true;
        takeOp(")");
    }
    made.isDefinition &= !made.words.empty();
    if (made.isDefinition) skipNewlines();
    return made;
}

} // namespace lockstep::shell
