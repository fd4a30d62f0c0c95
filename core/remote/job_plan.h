// SPDX-License-Identifier: Apache-2.0
// Plans for jobs of Slurm and Ray. In the submitting host's plan, the submit command is replaced by a command
// that submits and monitors the job (capture/agent/job_follower.h). The nodes of a Slurm job get a plan of
// their own. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep {

struct JobOptions {
    std::string runId;
    // The agent's path, quoted for the shell, in a folder that is also visible on the job's nodes.
    std::string quotedAgentPath;
    std::string runDir;   // parent of the run folders of the submitting host and of the nodes
    int64_t hold_s = 600; // maximum time for which a Slurm job keeps its nodes for collecting
};

// Returns the plan of the submitting host. Returns invalid if the host submits nothing, or if its sbatch
// options would not create exactly one job (core/scheduler/sbatch_options.h).
Result<HostPlan> jobPlan(const LaunchPlan& plan, const HostPlan& host, const JobOptions& place);
// Returns the plan for the agent of each Slurm node: the agent only waits until the job's script has ended.
HostPlan slurmNodePlan(const HostPlan& login, const std::string& node);
// Returns the shell text that releases the nodes of a Slurm job; it runs on the login node. `login` comes
// from jobPlan().
std::string slurmReleaseText(const HostPlan& login);

} // namespace lockstep
