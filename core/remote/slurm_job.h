// SPDX-License-Identifier: Apache-2.0
// SlurmJob: how a plan for Slurm becomes a job that can be watched and collected from. The login node's part
// submits the plan's own script inside a wrapper and follows it; the wrapper runs one agent per node beside
// the script, and when the script has ended keeps the nodes until their reports were fetched (or for ten
// minutes), because what lies on a node's own disk is out of reach once the job is over. Files lie beside the
// plan's script, on the file system that login node and nodes share. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep {

// The login node's part with its sbatch command replaced by a script that submits, tells the job's state in
// lines that slurmStateFrom() reads, passes the job's output on, and ends with its status. SIGTERM ends the
// job's own steps; what is left after 25 s is canceled. agentWord: the shell's word for lockstep-agent, in
// a folder that the nodes see too; runDir: where the nodes' agents keep the run, with the node's name behind.
// invalid: the part has no sbatch command.
Result<HostPlan> slurmLoginPlan(const LaunchPlan& plan, const HostPlan& login, const std::string& runId,
                                const std::string& agentWord, const std::string& runDir);
// What each node's agent runs: nothing of its own, until the script has ended.
HostPlan slurmNodePlan(const HostPlan& login, const std::string& node, const std::string& stem);
// Stem of the files of a run, relative to the login's working folder.
std::string slurmStem(const HostPlan& login, const std::string& runId);
// Shell text that lets the nodes go; runs on the login node.
std::string slurmLetGoText(const HostPlan& login, const std::string& stem);

struct SlurmState {
    std::string job;
    std::string state; // squeue's word: PENDING, RUNNING, COMPLETING, ...; "" once it is gone
    std::vector<std::string> nodes;
};
// From a line "lockstep: slurm job 12 RUNNING n1 n2"; empty for others.
std::optional<SlurmState> slurmStateFrom(std::string_view line);

} // namespace lockstep
