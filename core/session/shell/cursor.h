// SPDX-License-Identifier: Apache-2.0
// Cursor is a position in the tokens of a shell text, with basic movements that require no evaluation.
#pragma once

#include <string_view>
#include <vector>

#include "core/session/shell/tokens.h"

namespace lockstep::shell {

// A simple command, with its words as written.
struct Simple {
    int line = 0;
    std::vector<std::string_view> assignments, words;
    bool isPiped = false; // reads the output of the previous command
    bool isRedirected = false;
    // Defines a function whose name is the command's only word; the cursor is at the function body.
    bool isDefinition = false;
};

class Cursor {
  public:
    Cursor() = default;
    Cursor(const std::vector<Token>* tokens, size_t at) : m_tokens(tokens), m_at(at) {}

    size_t place() const { return m_at; }
    bool atEnd() const { return m_tokens == nullptr || m_at >= m_tokens->size(); }
    // Must not be called at the end.
    const Token& here() const { return (*m_tokens)[m_at]; }
    // Returns the line number of the current token, or 0 at the end.
    int line() const { return atEnd() ? 0 : here().line; }
    bool isHere(std::string_view word) const { return !atEnd() && here().isWord(word); }
    bool isOpHere(std::string_view op) const { return !atEnd() && here().isOp(op); }
    // Returns true at the end, or at a token that closes a list: fi, done, }, ), ;; and similar.
    bool atListEnd() const;

    void step(size_t count = 1);
    void stepToEnd() { m_at = m_tokens == nullptr ? 0 : m_tokens->size(); }
    bool takeWord(std::string_view word);
    bool takeOp(std::string_view op);
    void skipNewlines();
    void skipSeparators();
    void skipRedirects();
    // Reads the words up to the next operator.
    Simple takeSimple();

  private:
    const std::vector<Token>* m_tokens = nullptr;
    size_t m_at = 0;
};

} // namespace lockstep::shell
