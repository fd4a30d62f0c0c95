// SPDX-License-Identifier: Apache-2.0
// SlurmScheduler runs one run as one Slurm job. The user's script runs inside a wrapper. The wrapper starts
// an agent on each node. After the script has ended, it keeps the nodes allocated until their reports are
// collected, because the local disk of a node cannot be accessed once the job is over. All files are next to
// the stem, on the file system that the login node and the compute nodes share:
// STEM.sbatch     the wrapper: the user's #SBATCH lines, then the steps above
// STEM.node       the script of each node
// STEM.watch      the plan of the agents on the nodes
// STEM.exit       the exit status of the user's script and the number of requeues before this start
// STEM.collected  written by Lockstep once the reports are collected, so that the job releases its nodes
#pragma once

#include <filesystem>

#include "capture/agent/scheduler.h"
#include "core/session/config_value.h"

namespace lockstep::agent {

struct SlurmJobOptions {
    std::vector<std::string> options; // arguments for sbatch
    std::string script; // script of the user or the plan; the path is relative to the working folder
    std::string stem;   // path relative to the working folder, like script
    std::string quotedAgentPath,
        quotedRunsPath; // both are quoted for the shell: this program, and the parent of the run folders on
                        // the nodes
    int64_t hold_s = 0; // longest time that the nodes are held after the script has ended
    // environment: variables that the wrapper sets, because --export=NONE keeps all other variables from the
    // script. The other list contains variables whose values are passed on by name only.
    TextPairs environment;
    std::vector<std::string> secrets;
    // For a launch script of the user, see launch_shim.h: its arguments, the session that the shims read, and
    // the run folder on the login node, which the nodes share. Empty for scripts of a plan.
    std::vector<std::string> arguments;
    std::string session;
    std::string runFolder;
};

class SlurmScheduler : public Scheduler {
  public:
    // Unsets variables of this process that would change the behavior or the output of Slurm commands.
    explicit SlurmScheduler(SlurmJobOptions options);

    SchedulerKind kind() const override { return SchedulerKind::slurm; }
    Result<std::vector<std::string>> prepare() override;
    Request<std::string> submit() override;
    Request<std::string> find() override;
    Request<JobAnswer> queryState(const std::string& job) override;
    std::vector<JobNode> nodes(const JobAnswer& answer) override;
    Request<bool> requestEnd(const std::string& job) override;
    Request<bool> cancel(const std::string& job) override;
    std::optional<int> programStatus(int restarts) override;
    uint64_t copyOutput(const JobAnswer& answer, uint64_t from) override;
    std::string endText(const JobAnswer& answer, bool isStopped) const override;
    std::string pendingText(const std::string& job, const JobAnswer& answer) const override;

  private:
    std::string file(const char* ending) const { return m_options.stem + ending; }

    SlurmJobOptions m_options;
    std::vector<std::string> m_words; // arguments of sbatch, checked by prepare()
};

} // namespace lockstep::agent
