// SPDX-License-Identifier: Apache-2.0
// The address at which the other hosts in a run reach the first host. An SSH alias is known on only one
// machine, so the plan uses a name or address that the hosts themselves can resolve. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the first host's name or address as written in the session, without user, port and "ssh://".
std::string writtenHeadName(std::span<const Host> hosts);
// Returns writtenHeadName() if every other probed host resolves it to an address of the first host, or if
// there is no host information. Otherwise returns the address reported by the first host's probe. Returns ""
// if there are no hosts.
std::string headAddress(const RecipeInput& input);
// Returns the hosts that are known to be unable to reach headAddress().
std::vector<std::string> hostsNotReachingHead(const RecipeInput& input);
// Returns true if the plan's hosts connect to the first host, i.e. with torchrun or Ray on several hosts over
// SSH.
bool connectsToHead(const RecipeInput& input);

} // namespace lockstep
