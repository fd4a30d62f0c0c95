// SPDX-License-Identifier: Apache-2.0
// JobFollower submits one job and follows it to its end by querying its scheduler. It is the program of a
// plan command (`lockstep-agent slurm ...`). It copies the job's output to its own output, which becomes the
// log of that command. It may be killed at any time: its state is in job.json in the run folder, and another
// JobFollower continues from there.
//
// Idea: every state change needs a response from the scheduler. "Submitted" needs an ID, "ended" needs the
// reported end, "stopped" needs an accepted request. A missing response changes only the time since when the
// scheduler has been silent. Cost: one query per second after a change, fewer while nothing changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/agent/run_folder.h"
#include "capture/agent/scheduler.h"

namespace lockstep::agent {

class JobFollower {
  public:
    // scheduler must outlive this object. runDir: the run folder on the host that submits the job; a
    // stop.json there requests the end of the job.
    JobFollower(Scheduler& scheduler, RunFolder runDir);

    // Runs until the job has ended. Returns the exit status for the plan command: 0 if the program exited
    // with 0, or if the job was canceled as requested.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    void restoreState();
    bool submit();
    bool findSubmittedJob(const std::string& unknownReason);
    bool failSubmit(const std::string& message);
    bool isStopRequested();
    void handleStopRequest();
    // Queries the scheduler if a query is due, and stores the response. Returns true once the job has ended.
    bool poll();
    void take(JobAnswer answer);
    void findNodes();
    std::vector<JobNode> nodesOnDisk() const;
    // Waits for the program's exit status. If the status is not 0, also waits for its cause. Returns false if
    // the job was requeued in the meantime.
    bool determineEnd();
    int finish();
    void noteAnswer();
    void noteSilence(const std::string& message);
    void save();

    Scheduler& m_scheduler;
    RunFolder m_folder;
    std::chrono::milliseconds m_round;
    JobStatus m_status;
    JobAnswer m_answer;
    uint64_t m_copied = 0;       // number of bytes of the job's output that were copied
    bool m_wasSubmitted = false; // submit() was called, regardless of the result
    bool m_isCanceled = false;   // the scheduler agreed to end the job
    bool m_isEndRequested = false;
    std::optional<Clock::time_point> m_cancelAt;
    std::optional<double> m_grace_s;
    Clock::duration m_interval; // interval between two queries
    Clock::time_point m_nextPoll;
    std::optional<int> m_exitStatus; // exit status of the program, or of a failed submission
    std::string m_saved;             // content of job.json when it was last written
};

} // namespace lockstep::agent
