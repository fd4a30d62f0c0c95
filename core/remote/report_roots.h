// SPDX-License-Identifier: Apache-2.0
// Folders on a host in which reports of a run may appear. The agent watches and lists these folders. Files
// are recognized by content, not by name. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/session/launch_plan.h"

namespace lockstep {

// Returns the save paths of session and roles, the forecast's folders, every Ray session's nsight folder, and
// NeMo RL's log folders. If a session does not specify any folder, its working folder is watched. Relative
// paths are relative to the host's working folder; "~/" is the home folder; "*" matches one name.
std::vector<std::string> reportRoots(const SessionConfig& config, const HostPlan& host);

} // namespace lockstep
