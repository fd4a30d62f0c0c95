// SPDX-License-Identifier: Apache-2.0
// BatchRounds brings a batch to a result for each report. A round compares the results with the reports,
// deals the reports that lack one to tasks, runs those and compares again; what a task reports of itself
// counts for nothing. So a killed task, a damaged result, a changed report and an interrupted earlier start
// are all the same: reports that lack a result. A full disk ends the rounds at once. Made by the batch
// command. One thread.
#pragma once

#include <optional>
#include <set>

#include "app/cli.h"
#include "app/console.h"
#include "core/batch/batch_plan.h"
#include "core/batch/batch_result.h"
#include "core/batch/node_history.h"
#include "core/batch/slurm_array.h"
#include "core/batch/task_processes.h"
#include "core/readers/report_search.h"

namespace lockstep {

// What there is of a report.
struct BatchState {
    std::optional<BatchResult> result;
    std::optional<Error> error; // why there is none, as one process would tell it where it could not read it
    std::string host;           // where that was found
    bool isLost = false;        // no task brought it: one process might have; host is the task's
    bool isOfBefore = false;    // an earlier start made it
};

class BatchRounds {
  public:
    // All must outlive the object. line: the merge's, for the memory and disk options of its tasks.
    BatchRounds(const BatchPlan& plan, const CommandLine& line, const BatchFolder& folder, Console& console,
                std::stop_token stop);
    // From now on that token ends what waits.
    void listenTo(std::stop_token stop) { m_stop = std::move(stop); }

    // Before the first round: what an earlier start left. Waits for its Slurm array where that still runs.
    Status takeOver(const FoundReports& found, const std::string& planDigest);
    // Rounds until nothing is missing that another try could bring. io, remote: no task could be started, or
    // the disk is full; canceled.
    Status run();
    // Puts aside what proved damaged, so that the next run() makes it again.
    void forget(size_t input);
    // Reports whose file is another one now than when its result was made.
    size_t changedInputs() const;

    const std::vector<BatchInput>& inputs() const { return m_tasks.inputs; }
    const BatchState& state(size_t input) const { return m_states[input]; }
    size_t tasksRun() const { return m_tasksRun; }

  private:
    Status followEarlierArray();
    Status waitForEarlierArray(SlurmArray& array);
    void tellWhatIsThere(const std::optional<BatchTasks>& before);
    void removeStrangers() const;
    std::vector<uint32_t> lookAtResults();
    Status runRounds();
    size_t mostTasks();
    size_t taskCount(size_t reports, bool isLastTry);
    void deal(const std::vector<uint32_t>& missing, size_t tasks);
    Result<std::vector<TaskEnd>> runTasks();
    Result<std::vector<TaskEnd>> runHere();
    Result<std::vector<TaskEnd>> runInSlurm();
    Result<SlurmArray> submitArray();
    Status makeSmallerArray(const std::string& why);
    Result<std::vector<TaskEnd>> endsOf(SlurmArray& array);
    void endArray(SlurmArray& array);
    bool hasFoundFullDisk();
    Error fullDisk(const std::string& why) const;
    std::string hostOf(const TaskEnd& end) const;
    void tellRound(std::vector<TaskEnd> ends, bool isLastTry);
    size_t noteUndone(const TaskEnd& end, const std::vector<uint32_t>& missing);
    std::vector<std::string> taskWords(size_t share) const;
    SlurmArray::Say say();

    const BatchPlan& m_plan;
    const CommandLine& m_line;
    const BatchFolder& m_folder;
    Console& m_console;
    std::stop_token m_stop;
    BatchTasks m_tasks;
    std::vector<BatchState> m_states; // by input
    size_t m_tasksRun = 0;
    NodeHistory m_nodes;                // of Slurm's
    std::optional<size_t> m_arrayLimit; // tasks, once Slurm has answered
    std::set<uint32_t> m_failuresSeen;  // inputs, in this round
};

} // namespace lockstep
