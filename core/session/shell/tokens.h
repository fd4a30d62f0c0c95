// SPDX-License-Identifier: Apache-2.0
// Token is one word or operator in shell text, as written. splitShellTokens() finds the ends of words
// (quotes, $(), ${}, arrays, here-documents) but does not interpret the words. Pure. Thread: any.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"
#include "core/session/shell/pattern.h"

namespace lockstep::shell {

struct Token {
    enum class Kind : uint8_t {
        word,     // a word with its quotes; "NAME=( ... )" is one word
        op,       // ; & && || | |& ( ) ;; ;& ;;& and line feed
        redirect, // 2>&1, >>, <<<, ...: the operator with the number before it; the target is the next word
        test,     // a whole "[[ ... ]]"
        count     // a whole "(( ... ))"
    };
    Kind kind = Kind::word;
    std::string_view text; // part of the input text
    int line = 0;          // one-based

    bool isOp(std::string_view which) const { return kind == Kind::op && text == which; }
    bool isWord(std::string_view which) const { return kind == Kind::word && text == which; }
};

struct Heredoc {
    int line = 0;     // line of the here-document's operator
    int lastLine = 0; // line of the terminator
};

struct Tokens {
    std::vector<Token> tokens;
    std::vector<Heredoc> heredocs; // the bodies of here-documents are not part of the tokens
};

inline constexpr size_t kMaxTokens = 200'000;

// Splits text into tokens. Line numbers begin at firstLine. Errors: invalid, with line and column, for an
// unclosed quote or bracket, or for too many tokens.
Result<Tokens> splitShellTokens(std::string_view text, int firstLine = 1);

// Returns the position after the closing bracket of the "$(", "${", "$((" or "`" at `at`, or npos if the
// closing bracket is missing.
size_t endOfExpansion(std::string_view text, size_t at);
// Returns the position after the closing quote of the quote at `at`, or npos if the closing quote is missing.
size_t endOfQuote(std::string_view text, size_t at);

// A simple command, with its words as written.
struct Simple {
    int line = 0;
    std::vector<std::string_view> assignments, words;
    bool isPiped = false; // reads the output of the previous command
    bool isRedirected = false;
    // Defines a function whose name is the command's only word; the cursor is at the function body.
    bool isDefinition = false;
};

// Cursor is a position in the tokens of a shell text, with basic movements that require no evaluation.
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
