// SPDX-License-Identifier: Apache-2.0
// Whether a node has what a run needs: folders, files, programs, names of other nodes. Part of the probe.
#pragma once

#include <string>
#include <vector>

#include "capture/agent/host_probe.h"

namespace lockstep::agent {

// Paths and programs. Enters the first folder wished for, since a run's other names are relative to it; where
// it cannot be entered, relative ones are left out.
void probeNeeds(const ProbeWishes& wishes, HostFacts& facts);
// By getent, which asks what the node's programs ask. Left out where there is no getent.
std::vector<NameFacts> resolvedNames(const std::vector<std::string>& names);
// IPv4 addresses of this node that others may use, that of the default route first.
std::vector<std::string> ownAddresses();
// Whether the home folder is shared, and what to use instead.
void probeHome(HostFacts& facts);

} // namespace lockstep::agent
