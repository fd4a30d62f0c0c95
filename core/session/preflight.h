// SPDX-License-Identifier: Apache-2.0
// Preflight: the session checks. They report before the run what will not be recorded, or not as expected. A
// pure function of the session, its plan and the host information. If there is no host information, only the
// session is checked. Thread: any.
#pragma once

#include <span>

#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/launch_plan.h"
#include "core/session/session_config.h"

namespace lockstep {

// Returns the findings in the order of the form's fields.
Findings preflight(const SessionConfig& config, const LaunchPlan& plan, std::span<const HostFacts> facts);
// Returns the findings without a plan. Rules about the plan's commands are skipped.
Findings preflight(const SessionConfig& config, std::span<const HostFacts> facts);

} // namespace lockstep
