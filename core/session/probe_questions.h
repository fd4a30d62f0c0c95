// SPDX-License-Identifier: Apache-2.0
// The queries to send to a host before a run: the folders, programs and host names that the host's part of
// the plan requires. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/session/launch_plan.h"

namespace lockstep {

// Returns the arguments for `lockstep-agent probe` on a host in the plan; see capture/agent/probe.cpp. The
// probe does not query the inside of a container or the nodes of a batch system.
std::vector<std::string> probeArguments(const SessionConfig& config, const LaunchPlan& plan, size_t host);

} // namespace lockstep
