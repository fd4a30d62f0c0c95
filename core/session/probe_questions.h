// SPDX-License-Identifier: Apache-2.0
// What a host is asked about before a run: the folders, programs and names that its part of the plan needs.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/session/launch_plan.h"

namespace lockstep {

// Words for `lockstep-agent probe` on that host of the plan, see capture/agent/probe.cpp. What lies in a
// container, or on the nodes of a batch system, is not asked about.
std::vector<std::string> probeWords(const SessionConfig& config, const LaunchPlan& plan, size_t host);

} // namespace lockstep
