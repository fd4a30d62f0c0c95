// SPDX-License-Identifier: Apache-2.0
// Conditions in a script: [ ... ], [[ ... ]] and (( ... )), evaluated without running anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/session/shell/expansion.h"

namespace lockstep::shell {

enum class Truth : uint8_t { no, yes, unknown };

struct Verdict {
    Truth truth = Truth::yes;
    CausePtr why; // set if the truth is unknown
};

// `whole` is a "[[ ... ]]" or "(( ... ))". Files are never accessed, so the result of -f and similar tests is
// unknown.
Verdict verdictOfTest(const Word& whole, Expander& expander, const State& state);
// `words` are all words of [ or test, starting with the command name.
Verdict verdictOfWords(std::span<const Text> words, int line, const State& state);
// Evaluates whether a pattern of a case statement matches.
Verdict verdictOfPattern(const Word& pattern, const Text& subject, Expander& expander);

} // namespace lockstep::shell
