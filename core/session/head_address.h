// SPDX-License-Identifier: Apache-2.0
// How the other hosts of a run reach its first one. An ssh alias is known to ssh on one machine only, so the
// plan names what the hosts themselves resolve. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Name or address of the first host as the session writes it, without user, port and "ssh://".
std::string writtenHeadName(std::span<const Host> hosts);
// That name where every other host that was probed resolves it to an address of the first host (or nothing is
// known), else the first host's own address, as its probe told it. "" without hosts.
std::string headAddress(const RecipeInput& input);
// Hosts that cannot reach headAddress() by name, as far as is known.
std::vector<std::string> hostsLosingTheHead(const RecipeInput& input);
// Whether the plan makes hosts meet at the first one: torchrun or Ray over several hosts by ssh.
bool hostsMeetAtTheHead(const RecipeInput& input);

} // namespace lockstep
