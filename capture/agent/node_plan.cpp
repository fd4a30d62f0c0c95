#include "capture/agent/node_plan.h"

#include <algorithm>
#include <filesystem>

#include "core/session/expected_files.h"

namespace lockstep::agent {

Result<NodePlan> nodePlanFromJson(std::string_view json)
{
    const HostPlan host = LOCKSTEP_TRY(hostPlanFromJson(json));
    // A node where nothing is started still has its Ray workers' reports and its use of GPUs to tell.
    NodePlan plan;
    plan.workingFolder = host.workingFolder;
    plan.files = host.files;
    for (const PlannedCommand& planned : host.commands) {
        plan.commands.push_back({planned.purpose.empty() ? planned.argv[0] : planned.purpose, planned.order,
                                 planned.argv, host.workingFolder, host.environment});
    }
    for (const std::string& folder : host.reportFolders) {
        const bool isElsewhere =
            folder.starts_with('/') || folder.starts_with("~/") || host.workingFolder.empty();
        plan.reportRoots.push_back(isElsewhere ? folder : host.workingFolder + "/" + folder);
    }
    if (std::ranges::find(plan.reportRoots, kRayReportFolder) == plan.reportRoots.end())
        plan.reportRoots.emplace_back(kRayReportFolder);
    return plan;
}

} // namespace lockstep::agent
