// SPDX-License-Identifier: Apache-2.0
// What Run adds to the plan of a host before the agent gets it: the commands for jobs of Slurm and Ray, and
// the folders to watch. In the submitting host's plan, the submit command is replaced by a command that
// submits and monitors the job (capture/agent/job_follower.h). The nodes of a Slurm job get a plan of their
// own. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
Result<HostPlan> jobPlan(const LaunchPlan& plan, const HostPlan& host, const JobOptions& jobOptions);
// Returns the plan for the agent of each Slurm node: the agent only waits until the job's script has ended.
HostPlan slurmNodePlan(const HostPlan& login, const std::string& node);
// Returns the shell text that releases the nodes of a Slurm job; it runs on the login node. `login` comes
// from jobPlan().
std::string slurmReleaseText(const HostPlan& login);

// Returns the folders on a host in which reports of a run may appear. The agent watches and lists them, and
// recognizes files by content, not by name. They are the save paths of session and roles, the forecast's
// folders, every Ray session's nsight folder, and those of the framework's recipe. If a session does not
// specify any folder, its working folder is watched. Relative paths are relative to the host's working
// folder; "~/" is the home folder; "*" matches one name.
std::vector<std::string> reportRoots(const SessionConfig& config, const HostPlan& host);

} // namespace lockstep
