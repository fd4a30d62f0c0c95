// SPDX-License-Identifier: Apache-2.0
// SlurmScheduler: one run as one Slurm job. The user's script runs inside a wrapper, which starts an agent on
// each node next to it and, when the script has ended, keeps the nodes until their reports are collected,
// because a node's own disk is out of reach once the job is over. All files are next to the stem, on the file
// system that login node and nodes share:
//   STEM.sbatch     the wrapper: the user's #SBATCH lines, then the steps above
//   STEM.node       what runs on each node
//   STEM.watch      the plan of the nodes' agents
//   STEM.exit       the exit status of the user's script and the number of requeues before this start
//   STEM.collected  written by Lockstep once the reports are collected: the job releases its nodes
#pragma once

#include <filesystem>

#include "capture/agent/scheduler.h"
#include "core/session/config_value.h"

namespace lockstep::agent {

struct SlurmJobOptions {
    std::vector<std::string> options; // for sbatch
    std::string script;               // the user's or the plan's, relative to the working folder
    std::string stem;                 // likewise
    std::string agentWord, runsWord;  // shell words: this program, and the folder of the nodes' run folders
    int64_t hold_s = 0;               // how long the nodes are kept at most after the script has ended
    // Set in the wrapper, because --export=NONE keeps everything else away from the script; and variables
    // whose values are handed over by name alone.
    TextPairs environment;
    std::vector<std::string> secrets;
};

class SlurmScheduler : public Scheduler {
  public:
    // Unsets variables of this process that would change what Slurm's commands do or print.
    explicit SlurmScheduler(SlurmJobOptions options);

    SchedulerKind kind() const override { return SchedulerKind::slurm; }
    Result<std::vector<std::string>> prepare() override;
    Asked<std::string> submit() override;
    Asked<std::string> find() override;
    Asked<JobAnswer> look(const std::string& job) override;
    std::vector<JobNode> nodes(const JobAnswer& answer) override;
    Asked<bool> askToEnd(const std::string& job) override;
    Asked<bool> cancel(const std::string& job) override;
    std::optional<int> programStatus(int restarts) override;
    uint64_t copyOutput(const JobAnswer& answer, uint64_t from) override;
    std::string endText(const JobAnswer& answer, bool isStopped) const override;
    std::string pendingText(const std::string& job, const JobAnswer& answer) const override;

  private:
    std::string file(const char* ending) const { return m_options.stem + ending; }
    std::vector<std::string> sbatchWords() const;

    SlurmJobOptions m_options;
    std::vector<std::string> m_words; // of sbatch, checked by prepare()
};

// The wrapper and the script of each node, for the user's script `text`; see above.
std::string slurmWrapper(const SlurmJobOptions& options, const std::vector<std::string>& directives,
                         int components, std::string_view text);
std::string slurmNodeScript(const SlurmJobOptions& options);

} // namespace lockstep::agent
