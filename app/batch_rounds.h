// SPDX-License-Identifier: Apache-2.0
// BatchRounds: how a batch comes to a result for each report. A round looks at what results there are, deals
// the reports that lack one to tasks, runs those and looks again; what a task says of itself counts for
// nothing. So a task that was killed, a damaged result, a report that changed meanwhile and an earlier start
// that was cut off are all the same: reports that lack a result. Made by the batch command. One thread.
#pragma once

#include <optional>

#include "app/cli.h"
#include "app/console.h"
#include "core/batch/batch_plan.h"
#include "core/batch/batch_result.h"
#include "core/batch/task_processes.h"
#include "core/readers/report_search.h"

namespace lockstep {

// What there is of a report.
struct BatchState {
    std::optional<BatchResult> result;
    std::optional<Error> error; // why there is none, as one process would tell it where it could not read it
    std::string host;           // where that was found
    bool isLost = false;        // no task brought it: one process might have
    bool isOfBefore = false;    // an earlier start made it
};

class BatchRounds {
  public:
    // All must outlive the object. line: the merge's, for what its tasks are told of memory, disk and words.
    BatchRounds(const BatchPlan& plan, const CommandLine& line, const BatchFolder& folder, Console& console,
                std::stop_token stop);
    // From now on that token ends what waits.
    void listenTo(std::stop_token stop) { m_stop = std::move(stop); }

    // Before the first round: what an earlier start left. Waits for its Slurm array where that still runs.
    Status takeOver(const FoundReports& found, const std::string& planDigest);
    // Rounds until nothing is missing that another try could bring. io, remote: no task could be started;
    // canceled.
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
    void tellWhatIsThere(const std::optional<BatchTasks>& before);
    void removeStrangers() const;
    std::vector<uint32_t> lookAtResults();
    void deal(const std::vector<uint32_t>& missing, bool isLastTry);
    Result<std::vector<TaskEnd>> runTasks();
    Result<std::vector<TaskEnd>> runHere();
    Result<std::vector<TaskEnd>> runInSlurm();
    void tellRound(const std::vector<TaskEnd>& ends, bool isLastTry);
    std::vector<std::string> taskWords(size_t share) const;

    const BatchPlan& m_plan;
    const CommandLine& m_line;
    const BatchFolder& m_folder;
    Console& m_console;
    std::stop_token m_stop;
    BatchTasks m_tasks;
    std::vector<BatchState> m_states; // by input
    size_t m_tasksRun = 0;
};

} // namespace lockstep
