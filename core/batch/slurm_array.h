// SPDX-License-Identifier: Apache-2.0
// SlurmArray: the tasks of a batch as one Slurm job array, submitted from this machine and followed by
// queries of Slurm. Slurm runs no task again by itself: the batch compares the results with its reports and
// decides. An array outlives the program that submitted it, and SlurmRecord is how the next start finds it.
//
// Only an answer of Slurm changes what is known of an array. A command that fails because the controller is
// away is repeated until it is answered, and the silence is reported once. One thread at a time; blocking.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/batch/batch_plan.h"
#include "core/batch/task_processes.h"

namespace lockstep {

// Returns the script of every task for sbatch. `folder` is entered first. `words` are the task's command, to
// which the task's number is added. `logStem` NUMBER `.log` takes its output. Quoted for bash.
std::string slurmTaskScript(const std::string& folder, const std::vector<std::string>& words,
                            const std::string& logStem);
// Returns the node in a log of that script; of several tries the last. "" = not known.
std::string taskHostFromLog(std::string_view log);
// Returns the last line that the task itself printed in its last try, for a message; "" where there is none.
std::string lastLineOfTaskLog(std::string_view log);
// Returns the words for env(1) that submit tasks 0 to tasks - 1. jobs: tasks at a time; 0 = as many as Slurm
// gives.
std::vector<std::string> slurmArrayWords(const SlurmWish& wish, size_t tasks, int64_t jobs,
                                         const std::string& script, std::span<const std::string> excluded);

// The tasks of an array that Slurm has not ended.
struct SlurmQueue {
    size_t left = 0;
    size_t pending = 0;                     // of them
    std::string reason;                     // of most of the pending tasks, as Slurm spells it: "Resources"
    std::optional<int64_t> expectedStart_s; // Unix epoch, the earliest
};
// From lines "COUNT STATE|REASON|START". Ignores other lines.
SlurmQueue slurmQueueFrom(std::string_view output);
// Returns why tasks wait, as a sentence; "" where none waits or Slurm has not looked at them yet.
std::string slurmQueueText(const std::string& job, const SlurmQueue& queue, int64_t now_s);
// Returns how many tasks an array may have, from `scontrol show config`.
std::optional<size_t> slurmArrayLimitFrom(std::string_view output);
// The same, from Slurm; nullopt where it does not answer.
std::optional<size_t> slurmArrayLimit(const std::stop_token& stop);

// The submission of an array as the batch folder stores it: written before sbatch runs, completed with the
// job's id, and removed once Slurm has answered that the job is over.
struct SlurmRecord {
    std::string job;     // "" = not known yet
    std::string cluster; // of a federation; "" = the default one
    std::string script;  // absolute, and of this submission alone
    int64_t since_s = 0; // Unix epoch, when sbatch was run

    friend bool operator==(const SlurmRecord&, const SlurmRecord&) = default;
};
Status writeSlurmRecord(const std::filesystem::path& file, const SlurmRecord& record);
// nullopt: there is none. corrupt: the file cannot be read, and an array may exist.
Result<std::optional<SlurmRecord>> readSlurmRecord(const std::filesystem::path& file);

class SlurmArray {
  public:
    using Say = std::function<void(const std::string& text)>;

    // file: where the record is stored. say receives what a person wants to know during the waits: why tasks
    // are pending, that Slurm does not answer and that it answers again.
    SlurmArray(SlurmRecord record, std::filesystem::path file, Say say);

    const std::string& job() const { return m_record.job; }

    // Stores the record and runs sbatch until Slurm has accepted or refused the array. An sbatch that was not
    // answered may have submitted, so that the array is searched for before sbatch is run again. remote where
    // there is no array: Slurm refused it, with its text, or there is no sbatch. The array may exist after
    // all other errors: io where the record cannot be written; canceled.
    Status submit(const std::vector<std::string>& words, const std::stop_token& stop);
    // Searches for an array whose script is the record's, until Slurm answers. False: there is none. io where
    // there is no squeue or the record cannot be written; canceled.
    Result<bool> find(const std::stop_token& stop);
    // Removes the stored record: Slurm has answered that the array is over, or that it refused it.
    void forget() const;
    // Waits until all tasks are over. counted receives the number that is left, and returns false to end the
    // wait. canceled: the array is still there. io where there is no squeue.
    Status follow(const std::stop_token& stop, const std::function<bool(size_t left)>& counted);
    // Returns how Slurm ended a task, and on which node. Waits until Slurm answers. Without outcome where the
    // task ended well or Slurm no longer knows it. canceled.
    Result<TaskEnd> endOf(size_t task, const std::stop_token& stop);
    // Cancels the array within seconds, also while it is not known whether it was submitted. remote: Slurm
    // did not confirm it.
    Status cancel();

  private:
    Result<SlurmQueue> queue(const std::stop_token& stop) const;
    Status waitForAnswer(const Error& error, const std::stop_token& stop);
    void noteAnswer();
    std::vector<std::string> onCluster(std::vector<std::string> words) const;

    SlurmRecord m_record;
    std::filesystem::path m_file;
    Say m_say;
    int64_t m_lastAnswer_s; // Unix epoch
    bool m_isSilent = false;
};

} // namespace lockstep
