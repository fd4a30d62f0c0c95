// SPDX-License-Identifier: Apache-2.0
// Conditions of a shell text: [ ... ], [[ ... ]] and (( ... )), as far as they can be told without running
// anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/session/shell/expansion.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

enum class Truth : uint8_t { no, yes, unknown };

Truth negated(Truth truth);

// whole is the token's text, with its brackets. Files are never looked at: -f and its like are unknown.
Truth truthOfTest(std::string_view whole, Expander& expander, const State& state, int line);
// Whether a pattern of a case fits.
Truth truthOfPattern(const Token& pattern, const Text& subject, Expander& expander);
// All words of [ or test, its name first.
Truth truthOfWords(std::span<const Text> words, const State& state);

} // namespace lockstep::shell
