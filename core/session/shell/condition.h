// SPDX-License-Identifier: Apache-2.0
// Conditions in a shell text: [ ... ], [[ ... ]] and (( ... )), evaluated without running anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/session/shell/expansion.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

enum class Truth : uint8_t { no, yes, unknown };

Truth negated(Truth truth);

// `whole` is the text of the token, including its brackets. Files are never accessed, so the result of -f and
// similar tests is unknown.
Truth truthOfTest(std::string_view whole, Expander& expander, const State& state, int line);
// Evaluates whether a pattern in a case statement matches.
Truth truthOfPattern(const Token& pattern, const Text& subject, Expander& expander);
// `words` are all words of [ or test, starting with the command name.
Truth truthOfWords(std::span<const Text> words, const State& state);

} // namespace lockstep::shell
