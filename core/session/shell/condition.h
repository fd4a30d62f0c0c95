// SPDX-License-Identifier: Apache-2.0
// Conditions in a script: [ ... ], [[ ... ]] and (( ... )), evaluated without running anything.
#pragma once

#include <optional>
#include <span>

#include "core/session/shell/expansion.h"

namespace lockstep::shell {

struct Verdict {
    std::optional<bool> holds; // nullopt: unknown
    CausePtr why = {};         // set if it is unknown
};

// `whole` is a "[[ ... ]]" or "(( ... ))". Files are never accessed, so the result of -f and similar tests is
// unknown.
Verdict verdictOfTest(Reading& reading, const Word& whole);
// `words` are all words of [ or test, starting with the command name.
Verdict verdictOfWords(const State& state, std::span<const Text> words, int line);
// Evaluates whether a pattern of a case statement matches.
Verdict verdictOfPattern(Reading& reading, const Word& pattern, const Text& subject);

} // namespace lockstep::shell
