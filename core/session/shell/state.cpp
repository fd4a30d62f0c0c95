// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/state.h"

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

} // namespace lockstep::shell
