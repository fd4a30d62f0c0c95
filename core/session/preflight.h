// SPDX-License-Identifier: Apache-2.0
// Preflight: what will and what will not be recorded, said before the run. A pure function of the set-up, its
// plan and what is known about the hosts; without host facts it judges the set-up alone. Any thread.
#pragma once

#include <span>

#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/launch_plan.h"
#include "core/session/session_config.h"

namespace lockstep {

// In the order of the form's fields.
Findings preflight(const SessionConfig& config, const LaunchPlan& plan, std::span<const HostFacts> facts);
// The same when there is no plan to look at: rules about its commands are left out.
Findings preflight(const SessionConfig& config, std::span<const HostFacts> facts);

} // namespace lockstep
