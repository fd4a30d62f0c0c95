// SPDX-License-Identifier: Apache-2.0
// Replaces references to the home folder (see core/base/home_path.h) on the machine of the agent.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::agent {

// Returns the word with its reference replaced by $HOME; unchanged if HOME is not set.
std::string withOwnHome(std::string_view word);

} // namespace lockstep::agent
