// SPDX-License-Identifier: Apache-2.0
// Branches: the ways that an if, a case or an && may go where its condition is not known, and the one state
// with which the reader goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

struct Branches {
    State before;
    std::vector<State> outcomes;
    bool isOpen = false;     // a condition was not decided
    bool isTaken = false;    // a branch is surely taken; later ones are not
    bool isComplete = false; // one of the branches is taken in any case
};

// As before where no branch need be taken, else as the first branch; what only other branches set is set too.
// Says which variables differ.
void settle(Branches& branches, int line, std::string_view what, State& state, Notes& notes, Budget& budget);

} // namespace lockstep::shell
