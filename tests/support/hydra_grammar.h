// SPDX-License-Identifier: Apache-2.0
// A second, independent reading of Hydra's override grammar, for tests: it only says whether a word is
// accepted by a single run. Written from the grammar's rules, not from core/session.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::test {

// "" when Hydra takes the word as one override of a single run, else where and why it does not.
std::string hydraGrammarProblem(std::string_view word);

} // namespace lockstep::test
