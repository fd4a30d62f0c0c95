// SPDX-License-Identifier: Apache-2.0
// An independent implementation of Hydra's override grammar, for tests. It only checks whether a single run
// accepts a word. Written from the rules of the grammar, not from core/session.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::test {

// Returns "" if Hydra accepts the word as one override of a single run, else where and why it does not.
std::string hydraGrammarProblem(std::string_view word);

} // namespace lockstep::test
