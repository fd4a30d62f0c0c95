// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/branches.h"

#include <algorithm>

namespace lockstep::shell {

void settle(Branches& branches, int line, std::string_view what, State& state, Notes& notes, Budget& budget)
{
    constexpr size_t kMaxNamed = 5;
    if (!branches.isOpen) return;
    std::vector<State>& outcomes = branches.outcomes;
    if (!branches.isComplete || outcomes.empty())
        outcomes.insert(outcomes.begin(), std::move(branches.before));
    state = outcomes.front();
    std::set<std::string, std::less<>> differing;
    for (const State& other : outcomes) {
        for (const auto& [name, variable] : other.variables) {
            const auto [mine, isNew] = state.variables.try_emplace(name, variable);
            if (budget.takeBytes(1) && (isNew || !(mine->second == variable))) differing.insert(name);
        }
    }
    std::string text = "can't evaluate " + std::string(what);
    if (!differing.empty())
        text += branches.isComplete ? "; first branch assumed for: " : "; previous value, if any, kept for: ";
    size_t count = 0;
    for (const std::string& name : differing) {
        if (++count <= kMaxNamed) text += (count == 1 ? "" : ", ") + name;
    }
    if (count > kMaxNamed) text += " and " + std::to_string(count - kMaxNamed) + " more";
    notes.add(line, true, std::move(text));
}

} // namespace lockstep::shell
