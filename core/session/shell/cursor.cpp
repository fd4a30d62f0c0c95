// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/cursor.h"

#include <algorithm>

#include "core/session/shell/builtins.h"

namespace lockstep::shell {

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
