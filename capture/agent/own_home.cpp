// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/own_home.h"

#include <cstdlib>

#include "core/base/home_path.h"

namespace lockstep::agent {

std::string withOwnHome(std::string_view word)
{
    const char* const home = std::getenv("HOME");
    return withHome(word, home != nullptr ? home : "");
}

} // namespace lockstep::agent
