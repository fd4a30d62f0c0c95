// SPDX-License-Identifier: Apache-2.0
// Branches holds the branches of an if, case or && whose condition is unknown, and the merged state with
// which the reader continues.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

struct Branches {
    State before;
    std::vector<State> outcomes;
    bool isOpen = false;     // the condition of a branch could not be evaluated
    bool isTaken = false;    // a branch is certainly taken, so later branches are not
    bool isComplete = false; // one of the branches is certainly taken
};

// Merges the branches. If possibly no branch is taken, the result is the previous state, otherwise the state
// of the first branch. Adds variables that are set only in other branches, and a note about the variables
// whose values differ.
void settle(Branches& branches, int line, std::string_view what, State& state, Notes& notes, Budget& budget);

} // namespace lockstep::shell
