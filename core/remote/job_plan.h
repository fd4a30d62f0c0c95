// SPDX-License-Identifier: Apache-2.0
// JobPlan: the part of a plan that submits a job to Slurm or Ray, as the submitting host's agent runs it: the
// command that submits becomes one that submits and follows (capture/agent/job_follower.h), and the nodes of
// a Slurm job get a plan of their own. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep {

struct JobPlace {
    std::string runId;
    std::string agentWord; // the shell's word for lockstep-agent, in a folder that a job's nodes see too
    std::string runDir;    // parent of the run folders of the submitting host and of the nodes
    int64_t hold_s = 600;  // how long a Slurm job keeps its nodes for collecting, at most
};

// The submitting host's part. invalid: it submits nothing, or its sbatch options make it something else than
// one job (core/scheduler/sbatch_options.h).
Result<HostPlan> jobPlan(const LaunchPlan& plan, const HostPlan& host, const JobPlace& place);
// What each Slurm node's agent runs: nothing of its own, until the job's script has ended.
HostPlan slurmNodePlan(const HostPlan& login, const std::string& node);
// Shell text that lets the nodes of a Slurm job go; runs on the login node. login: from jobPlan().
std::string slurmReleaseText(const HostPlan& login);

} // namespace lockstep
