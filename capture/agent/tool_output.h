// SPDX-License-Identifier: Apache-2.0
// What a program on this node prints: for asking nsys, Python and the like about themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

// Standard output and error together of argv (looked up in PATH, no shell), at most 1 MiB. Empty when it
// cannot be started, fails, or takes longer than timeout_s; it is killed then.
std::optional<std::string> toolOutput(const std::vector<std::string>& argv, double timeout_s = 10);

} // namespace lockstep::agent
