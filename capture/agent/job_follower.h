// SPDX-License-Identifier: Apache-2.0
// JobFollower submits one job and follows it to its end, by asking its scheduler. It is the program of a
// plan's command (`lockstep-agent slurm ...`), so that the job's output, which it copies to its own, becomes
// the command's log. It may be killed at any moment: what it knows is in the run folder's job.json, and
// another one continues from there.
//
// The idea: every step is taken on an answer. "Submitted" needs an id, "ended" the scheduler's word,
// "stopped" the scheduler's agreement; no answer changes nothing but the time since when there is none.
// Cost: one question to the scheduler per second after a change, fewer and fewer while nothing changes.
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
    // scheduler outlives this. runDir: the run folder on the host that submits; its stop.json is the request
    // to end the job.
    JobFollower(Scheduler& scheduler, RunFolder runDir);

    // Until the job has ended. Returns the exit status for the plan's command: 0 where the program's was 0,
    // or the job was canceled as asked.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    void recall();
    bool submit();
    bool lookForSubmitted(const std::string& whyUnknown);
    bool failSubmit(const std::string& words);
    bool isStopRequested();
    void obeyStop();
    // Asks the scheduler where it is time to, and takes over its answer. True once the job has ended.
    bool look();
    void take(JobAnswer answer);
    void learnNodes();
    std::vector<JobNode> nodesOnDisk() const;
    // Waits for the program's exit status and, if it is not 0, for its cause. Returns false if the job was
    // requeued meanwhile.
    bool learnEnd();
    int finish();
    void noteAnswer();
    void noteSilence(const std::string& words);
    void save();

    Scheduler& m_scheduler;
    RunFolder m_folder;
    std::chrono::milliseconds m_round;
    JobStatus m_status;
    JobAnswer m_answer;
    uint64_t m_copied = 0;       // bytes of the job's output that were copied
    bool m_wasSubmitted = false; // submit() was called, whatever came of it
    bool m_isCanceled = false;   // the scheduler agreed to end the job
    bool m_isAskedToEnd = false;
    std::optional<Clock::time_point> m_cancelAt;
    std::optional<double> m_grace_s;
    Clock::duration m_interval; // between two questions
    Clock::time_point m_nextLook;
    std::optional<int> m_exitStatus; // of the program, or of a submit that failed
    std::string m_saved;             // what job.json holds
};

} // namespace lockstep::agent
