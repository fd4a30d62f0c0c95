// SPDX-License-Identifier: Apache-2.0
// Where on a host the reports of a run may appear: what the agent watches and lists. Folders are scanned,
// names decide nothing. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/session/launch_plan.h"

namespace lockstep {

// Save paths of session and roles, the forecast's folders, every Ray session's nsight folder, and NeMo RL's
// log folders. A session that names no folder is watched in its working folder. Relative paths are below the
// host's working folder; "~/" is the home folder; "*" stands for one name.
std::vector<std::string> reportRoots(const SessionConfig& config, const HostPlan& host);

} // namespace lockstep
