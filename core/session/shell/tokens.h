// SPDX-License-Identifier: Apache-2.0
// ShellToken is one word or operator in shell text, as written. splitShellTokens() finds the ends of words
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

} // namespace lockstep::shell
