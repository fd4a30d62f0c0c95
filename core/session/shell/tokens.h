// SPDX-License-Identifier: Apache-2.0
// ShellToken: one word or operator of a shell text, as it stands there. splitShellTokens() knows where words
// end (quotes, $(), ${}, arrays, here-documents) and nothing of what they mean. Pure; any thread.
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
        word,     // with its quotes; "NAME=( ... )" is one word
        op,       // ; & && || | |& ( ) ;; ;& ;;& and the line feed
        redirect, // 2>&1, >>, <<<, ...: the operator with its number; its target is the next word
        test,     // "[[ ... ]]" whole
        count     // "(( ... ))" whole
    };
    Kind kind = Kind::word;
    std::string_view text; // of the text given
    int line = 0;          // from 1

    bool isOp(std::string_view which) const { return kind == Kind::op && text == which; }
    bool isWord(std::string_view which) const { return kind == Kind::word && text == which; }
};

struct Heredoc {
    int line = 0;     // of its operator
    int lastLine = 0; // of its end
};

struct Tokens {
    std::vector<Token> tokens;
    std::vector<Heredoc> heredocs; // bodies are no tokens
};

inline constexpr size_t kMostTokens = 200'000;

// Line numbers begin at firstLine. invalid, with line and column: an open quote or bracket, too many tokens.
Result<Tokens> splitShellTokens(std::string_view text, int firstLine = 1);

// End of the "$(", "${", "$((" or "`" that begins at `at`: one past its closing bracket; npos where it never
// closes.
size_t endOfExpansion(std::string_view text, size_t at);
// One past the closing quote of the quote at `at`; npos where it never closes.
size_t endOfQuote(std::string_view text, size_t at);

} // namespace lockstep::shell
