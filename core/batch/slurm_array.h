// SPDX-License-Identifier: Apache-2.0
// SlurmArray: the tasks of a batch as one Slurm job array, submitted from this machine and followed by asking
// Slurm. Slurm runs no task again by itself: the batch looks at what results there are and says what is. An
// array outlives the program that submitted it. One thread at a time; blocking.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/batch/batch_plan.h"
#include "core/batch/task_processes.h"

namespace lockstep {

// What sbatch gets: the script of every task. `folder` is entered first, `words` are the task's command, to
// which the task's number is added, `logStem` NUMBER `.log` takes what it says. Quoted for a shell.
std::string slurmTaskScript(const std::string& folder, const std::vector<std::string>& words,
                            const std::string& logStem);
// The words for env(1) that submit it. jobs: tasks at a time; 0 = as many as Slurm gives.
std::vector<std::string> slurmArrayWords(const SlurmWish& wish, std::span<const size_t> tasks, int64_t jobs,
                                         const std::string& script);

// A line "INDEX|STATE|REASON" of squeue; empty for others.
struct SlurmTaskState {
    size_t task = 0;
    std::string state;  // Slurm's word: PENDING, RUNNING, COMPLETING
    std::string reason; // why it waits: "Resources"
};
std::optional<SlurmTaskState> slurmTaskStateFrom(std::string_view line);

class SlurmArray {
  public:
    using Say = std::function<void(const std::string& text)>;

    // Submits the array. remote with what sbatch said, also where there is no sbatch; canceled.
    static Result<SlurmArray> submit(const std::vector<std::string>& words, const std::stop_token& stop);
    // One that was submitted before.
    explicit SlurmArray(std::string job) : m_job(std::move(job)) {}

    const std::string& job() const { return m_job; }
    // Tasks that Slurm has not ended: none once it knows nothing of the job any more. remote where it does
    // not answer.
    Result<std::vector<SlurmTaskState>> underWay(const std::stop_token& stop) const;
    // Until all tasks are over, however. say gets what a person wants to know meanwhile: why tasks wait, that
    // Slurm does not answer; counted(left) the number under way. canceled: the array is still there.
    Status follow(const std::stop_token& stop, const Say& say,
                  const std::function<void(size_t left)>& counted) const;
    // What Slurm says of a task that is over: "CANCELLED", "NODE_FAIL", "FAILED (exit 1:0)"; empty where it
    // does not know it or it went well. Cut by anything but its own exit status.
    TaskEnd endOf(size_t task) const;
    void cancel() const;

  private:
    std::string m_job;
};

} // namespace lockstep
