// SPDX-License-Identifier: Apache-2.0
// SlurmArray runs the tasks of a batch as one Slurm job array, which is submitted from this machine and
// monitored by querying Slurm. Slurm never requeues a task by itself. The batch compares the results with its
// reports and decides what to retry. An array outlives the program that submitted it; the next time the
// program starts, it finds the array through SlurmRecord.
//
// Only a response from Slurm changes the known state of an array. A command that fails because the controller
// is unreachable is repeated until it succeeds, and the outage is reported once. One thread at a time;
// blocking.
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

// Returns the script that sbatch runs for every task. The script changes to `folder` and runs `words`, the
// task's command, with the task's number appended. Its output goes to the file `logStem` NUMBER `.log`. All
// values are quoted for bash.
std::string slurmTaskScript(const std::string& folder, const std::vector<std::string>& words,
                            const std::string& logStem);
// Returns the node of the last attempt in a log of the script from slurmTaskScript(); "" = unknown.
std::string taskHostFromLog(std::string_view log);
// Returns the last line that the task itself printed in its last attempt, for a message. Returns "" if it
// printed nothing.
std::string lastLineOfTaskLog(std::string_view log);
// Returns the arguments for env(1) that submit tasks 0 to tasks - 1. `jobs` is the number of concurrent
// tasks; 0 = as many as Slurm allows.
std::vector<std::string> slurmArrayArguments(const SlurmRequest& requested, size_t tasks, int64_t jobs,
                                             const std::string& script,
                                             std::span<const std::string> excluded);

// The tasks of an array that have not ended yet.
struct SlurmQueue {
    size_t left = 0;
    size_t pending = 0; // number of pending tasks
    std::string reason; // reason for which most tasks are pending, in Slurm's spelling: "Resources"
    std::optional<int64_t> expectedStart_s; // Unix epoch; the earliest expected start of all pending tasks
};
// Parses lines "COUNT STATE|REASON|START". Ignores other lines.
SlurmQueue slurmQueueFrom(std::string_view output);
// Returns why tasks are pending, as a sentence. Returns "" if no task is pending or Slurm has not considered
// the tasks yet.
std::string slurmQueueText(const std::string& job, const SlurmQueue& queue, int64_t now_s);
// Returns how many tasks an array may have, from the output of `scontrol show config`.
std::optional<size_t> slurmArrayLimitFrom(std::string_view output);
// Queries Slurm for the maximum number of tasks in an array. Returns nullopt if Slurm does not respond.
std::optional<size_t> slurmArrayLimit(const std::stop_token& stop);

// The submission of an array, as stored in the batch folder. It is written before sbatch runs, completed with
// the job ID, and removed once Slurm has reported that the job is over.
struct SlurmRecord {
    std::string job;     // "" = not known yet
    std::string cluster; // cluster of a federation; "" = the default cluster
    std::string script;  // absolute path, unique to this submission
    int64_t since_s = 0; // Unix epoch; time at which sbatch was run

    friend bool operator==(const SlurmRecord&, const SlurmRecord&) = default;
};
Status writeSlurmRecord(const std::filesystem::path& file, const SlurmRecord& record);
// Returns nullopt if there is no record. Returns corrupt if the file cannot be read; in that case an array
// may exist.
Result<std::optional<SlurmRecord>> readSlurmRecord(const std::filesystem::path& file);

class SlurmArray {
  public:
    using ReportStatus = std::function<void(const std::string& text)>;

    // `file` is the path at which the record is stored. `reportStatus` receives status messages during waits:
    // why tasks are pending, and when Slurm stops and resumes responding.
    SlurmArray(SlurmRecord record, std::filesystem::path file, ReportStatus reportStatus);

    const std::string& job() const { return m_record.job; }

    // Stores the record and runs sbatch until Slurm has accepted or rejected the array. If sbatch returned no
    // response, it may still have submitted the array, so the array is searched for before sbatch runs again.
    // Returns remote if no array exists because Slurm rejected it (with Slurm's message) or sbatch is not
    // installed. After all other errors the array may exist: io if the record cannot be written, or canceled.
    Status submit(const std::vector<std::string>& words, const std::stop_token& stop);
    // Searches for an array with the record's script until Slurm responds. Returns false if there is no such
    // array. Errors: io if squeue is not installed or the record cannot be written; canceled.
    Result<bool> find(const std::stop_token& stop);
    // Removes the stored record. Call this function once Slurm has reported that the array is over, or has
    // rejected it.
    void forget() const;
    // Waits until all tasks are over. `counted` receives the number of remaining tasks and returns false to
    // end the wait. Errors: canceled (the array still exists); io if squeue is not installed.
    Status follow(const std::stop_token& stop, const std::function<bool(size_t left)>& counted);
    // Returns how a task ended according to Slurm, and on which node. Waits until Slurm responds. The outcome
    // is empty if the task succeeded or Slurm no longer knows the task. Errors: canceled.
    Result<TaskEnd> endOf(size_t task, const std::stop_token& stop);
    // Cancels the array within seconds, even if it is unknown whether the array was submitted. Returns remote
    // if Slurm did not confirm the cancellation.
    Status cancel();

  private:
    Result<SlurmQueue> queue(const std::stop_token& stop) const;
    Status waitForAnswer(const Error& error, const std::stop_token& stop);
    void noteAnswer();
    std::vector<std::string> onCluster(std::vector<std::string> words) const;

    SlurmRecord m_record;
    std::filesystem::path m_file;
    ReportStatus m_reportStatus;
    int64_t m_lastAnswer_s; // Unix epoch; time of Slurm's last response
    bool m_isSilent = false;
};

} // namespace lockstep
