// NodePlan: one node's part of a launch plan as the supervisor runs it. `lockstep-agent run --plan FILE`
// reads the JSON that core/session prints for a host: jsonFromHostPlan(), see launch_plan.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/shepherd.h"
#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep::agent {

struct NodePlan {
    std::vector<PlannedFile> files;       // written before the first command; relative to the working folder
    std::vector<Command> commands;        // run one after the other; the first that fails ends the run
    std::string workingFolder;            // of all commands; "" = where the run was started
    std::vector<std::string> reportRoots; // folders and patterns to look for reports in, see ReportScanner
};

// The plan's report folders and those that Ray writes to without being told: of every session there is, since
// the link session_latest may be stale. corrupt: not that JSON; invalid: no commands.
Result<NodePlan> nodePlanFromJson(std::string_view json);

} // namespace lockstep::agent
