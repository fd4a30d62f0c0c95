// SPDX-License-Identifier: Apache-2.0
// BatchRounds runs a batch until each report has a result. A round compares the results with the reports,
// assigns the reports without a result to tasks, runs the tasks and compares again. Exit statuses of tasks
// are ignored, so a killed task, a corrupt result, a changed report and an interrupted earlier invocation are
// handled in the same way: the report has no result. A full disk ends the rounds at once. Created by the
// batch command. One thread.
#pragma once

#include <optional>
#include <set>

#include "app/cli/cli.h"
#include "app/cli/console.h"
#include "core/batch/batch_plan.h"
#include "core/batch/batch_result.h"
#include "core/batch/node_history.h"
#include "core/batch/slurm_array.h"
#include "core/batch/task_processes.h"
#include "core/readers/report_search.h"

namespace lockstep {

// BatchState is the state of one report in the batch.
struct BatchState {
    std::optional<BatchResult> result;
    std::optional<Error> error;    // why there is no result, worded as in a single-process export
    std::string host;              // host on which the error occurred
    bool isLost = false;           // true if no task read the report; `host` is then the host of the task
    bool isFromEarlierRun = false; // true if an earlier invocation made the result
};

class BatchRounds {
  public:
    // All references must outlive the object. line: command line of the merge; its memory and disk options
    // are passed to the tasks.
    BatchRounds(const BatchPlan& plan, const CommandLine& line, const BatchFolder& folder, Console& console,
                std::stop_token stop);
    // Replaces the token that interrupts blocking calls.
    void setStopToken(std::stop_token stop) { m_stop = std::move(stop); }

    // Loads the results of an earlier invocation. Call before the first round. Blocks until the Slurm array
    // of that invocation has ended.
    Status loadEarlierResults(const FoundReports& found, const std::string& planDigest);
    // Runs rounds until every report has a result, or until a retry would not help. Errors: io and remote (no
    // task could be started, or the disk is full), canceled.
    Status run();
    // Removes a corrupt result, so that the next run() recreates it.
    void forget(size_t input);
    // Returns the number of reports whose file has changed since its result was made.
    size_t changedInputs() const;

    const std::vector<BatchInput>& inputs() const { return m_tasks.inputs; }
    const BatchState& state(size_t input) const { return m_states[input]; }
    size_t tasksRun() const { return m_tasksRun; }

  private:
    Status followEarlierArray();
    Status waitForEarlierArray(SlurmArray& array);
    void reportEarlierResults(const std::optional<BatchTasks>& before);
    void removeUnknownFiles() const;
    std::vector<uint32_t> scanResults();
    Status runRounds();
    size_t maxTasks();
    size_t taskCount(size_t reports, bool isLastAttempt);
    void deal(const std::vector<uint32_t>& missing, size_t tasks);
    Result<std::vector<TaskEnd>> runTasks();
    Result<std::vector<TaskEnd>> runHere();
    Result<std::vector<TaskEnd>> runInSlurm();
    Result<SlurmArray> submitArray();
    Status shrinkArray(const std::string& why);
    Result<std::vector<TaskEnd>> endsOf(SlurmArray& array);
    void endArray(SlurmArray& array);
    bool hasFoundFullDisk();
    Error fullDisk(const std::string& why) const;
    std::string hostOf(const TaskEnd& end) const;
    void reportRound(std::vector<TaskEnd> ends, bool isLastAttempt);
    size_t noteUnfinished(const TaskEnd& end, const std::vector<uint32_t>& missing);
    std::vector<std::string> taskArguments(size_t share) const;
    SlurmArray::ReportStatus statusReporter();

    const BatchPlan& m_plan;
    const CommandLine& m_line;
    const BatchFolder& m_folder;
    Console& m_console;
    std::stop_token m_stop;
    BatchTasks m_tasks;
    std::vector<BatchState> m_states; // indexed by input
    size_t m_tasksRun = 0;
    NodeHistory m_nodes; // Slurm nodes
    // Maximum number of tasks in a Slurm array; unset until Slurm has been queried.
    std::optional<size_t> m_arrayLimit;
    std::set<uint32_t> m_handledFailures; // inputs whose failures were already handled in this round
};

} // namespace lockstep
