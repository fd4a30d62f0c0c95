// SPDX-License-Identifier: Apache-2.0
// Selects the host information that still answers the queries of a session. Information is kept while the
// user edits the session or opens another one, so a part of it may be about other hosts, addresses, folders
// or programs. That part counts as not checked, never as a failure. Pure. Thread: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/session/launch_plan.h"

namespace lockstep {

// Returns the information about the hosts of the session, queried at their present addresses, reduced to what
// answers the present queries (see probeArguments()). Information without a recorded query, as in a file
// written by `lockstep-agent probe`, is matched by host name, path, program and name.
std::vector<HostFacts> currentFacts(const SessionConfig& config, std::span<const HostFacts> facts);
// Returns the folders, files, programs and host names that the plan requires on a host and that its recorded
// query did not include; empty if the host was not queried or its query was not recorded.
std::vector<std::string> uncheckedNeeds(const SessionConfig& config, const LaunchPlan& plan, size_t host,
                                        std::span<const HostFacts> facts);

// Returns the arguments for `lockstep-agent probe` on a host in the plan: the folders, programs and host
// names that the host's part of the plan requires. See capture/agent/host_probe.cpp. The
// probe does not query the inside of a container or the nodes of a batch system.
std::vector<std::string> probeArguments(const SessionConfig& config, const LaunchPlan& plan, size_t host);

} // namespace lockstep
