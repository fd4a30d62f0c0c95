// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/state.h"

#include <algorithm>

#include "core/base/secret_text.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

const Variable* State::find(std::string_view name) const
{
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
}

void State::set(std::string_view name, std::vector<Text> values, bool isArray)
{
    Variable& variable = variables.try_emplace(std::string(name)).first->second;
    variable.values = std::move(values);
    variable.isArray = isArray;
    variable.isExported |= exportsAll;
}

void Notes::add(int line, bool isLoss, std::string text)
{
    if (m_reported.insert(text).second) all.push_back({line, isLoss, std::move(text)});
}

bool Budget::takeBytes(size_t count)
{
    isSpent |= count > bytes;
    bytes -= isSpent ? 0 : count;
    return !isSpent;
}

bool Budget::takeStep()
{
    isSpent |= steps == 0;
    steps -= isSpent ? 0 : 1;
    return !isSpent;
}

void mergeBranches(Branches& branches, int line, std::string_view what, State& state, Notes& notes,
                   Budget& budget)
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
            const auto [merged, isNew] = state.variables.try_emplace(name, variable);
            if (budget.takeBytes(1) && (isNew || !(merged->second == variable))) differing.insert(name);
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

std::string lineRange(int first, int last)
{
    return last > first ? " (lines " + std::to_string(first) + " to " + std::to_string(last) + ")"
                        : std::string();
}

std::string shortened(std::string_view text)
{
    constexpr size_t kMax = 60;
    const std::string masked = maskSecrets(text); // before the cut, because half a secret is not recognized
    std::string out = masked.substr(0, kMax);
    std::replace(out.begin(), out.end(), '\n', ' ');
    return masked.size() > kMax ? out + "..." : out;
}

void noteUnexpanded(std::string_view raw, int line, Notes& notes)
{
    size_t open = std::string_view::npos;
    bool isBraced = false, isGlob = false;
    for (size_t at = 0; at < raw.size();) {
        const char c = raw[at];
        if (c == '\\') {
            at += 2;
        } else if (c == '\'' || c == '"' || c == '`') {
            at = std::min(endOfQuote(raw, at), raw.size());
        } else if (c == '$') {
            at = std::min(std::max(endOfExpansion(raw, at), at + 1), raw.size());
        } else {
            isGlob |= c == '*' || c == '?';
            if (c == '{') open = at;
            if (c == '}' && open != std::string_view::npos) {
                const std::string_view inner = raw.substr(open, at - open);
                isBraced |=
                    inner.find(',') != std::string_view::npos || inner.find("..") != std::string_view::npos;
            }
            ++at;
        }
    }
    if (isBraced)
        notes.add(line, true, "bash would expand " + shortened(raw) + " to several arguments; kept as one");
    if (isGlob) notes.add(line, true, shortened(raw) + " may match files; left unexpanded");
    const size_t home = raw.starts_with("~/") ? 0 : raw.find("=~/");
    if (home != std::string_view::npos)
        notes.add(line, true,
                  shortened(raw) + ": ~ is the home folder of the user who runs the script; left unexpanded");
}

} // namespace lockstep::shell
