// SPDX-License-Identifier: Apache-2.0
// Checks whether a node has what a run needs: folders, files, programs, and host names of other nodes. Part
// of the probe.
#pragma once

#include <string>
#include <vector>

#include "capture/agent/host_probe.h"

namespace lockstep::agent {

// Checks paths and programs. Changes to the first requested folder, because other paths of the run are
// relative to it. If that fails, relative paths are skipped.
void probeNeeds(const ProbeTargets& targets, HostFacts& facts);
// Resolves names with getent, which uses the same sources as programs on the node. Returns an empty list if
// getent is not installed.
std::vector<NameFacts> resolvedNames(const std::vector<std::string>& names);
// Returns the IPv4 addresses of this node that other hosts may use. The address of the default route comes
// first.
std::vector<std::string> ownAddresses();
// Finds out whether the home folder is shared, and which folder to use instead.
void probeHome(HostFacts& facts);

} // namespace lockstep::agent
