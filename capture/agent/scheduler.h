// SPDX-License-Identifier: Apache-2.0
// Scheduler: the commands of Slurm or Ray that JobFollower needs for one job. Each call runs at most a few
// child processes, each with a time limit, and reports what they answered: an exit status and words of
// theirs, never a guess. One thread; blocking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scheduler/job_answer.h"

namespace lockstep::agent {

// What one question brought. noAnswer: the scheduler was not reached; what was asked for may have been done.
template<class T>
struct Asked {
    enum class How : uint8_t { answered, noAnswer, refused };

    How how = How::noAnswer;
    T value{};
    std::string words; // noAnswer, refused: the scheduler's own, for a person

    bool isAnswered() const { return how == How::answered; }
    static Asked answered(T value) { return {How::answered, std::move(value), {}}; }
    static Asked noAnswer(std::string words) { return {How::noAnswer, {}, std::move(words)}; }
    static Asked refused(std::string words) { return {How::refused, {}, std::move(words)}; }
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;

    virtual SchedulerKind kind() const = 0;
    // Looks at everything that can be wrong before the queue; writes the files that the job needs. invalid,
    // notFound, io: a sentence that names the user's file. Notes: what was changed in the user's request.
    virtual Result<std::vector<std::string>> prepare() = 0;
    // Submits the job and answers with its id. Called once: after noAnswer, find() decides whether it worked.
    virtual Asked<std::string> submit() = 0;
    // The id of the job that an earlier submit() made; "" where there is none.
    virtual Asked<std::string> find() = 0;
    // The job's state; phase forgotten where the scheduler does not know the job (any more).
    virtual Asked<JobAnswer> look(const std::string& job) = 0;
    // The names of an answer's nodes.
    virtual std::vector<JobNode> nodes(const JobAnswer& answer) = 0;
    // Asks the program of a running job to end (SIGTERM), so that its profiler can write reports.
    virtual Asked<bool> askToEnd(const std::string& job) = 0;
    // Ends the job, whatever it does. Does not wait for the end.
    virtual Asked<bool> cancel(const std::string& job) = 0;
    // Returns the program's exit status, which may be known before the scheduler reports the end of the job.
    // restarts: number of requeues so far; the status of an earlier start does not count.
    virtual std::optional<int> programStatus(int restarts) = 0;
    // Copies the job's output from byte `from` on to standard output; returns the byte reached. Blocks
    // for 20 s at most, and only once the job has ended.
    virtual uint64_t copyOutput(const JobAnswer& answer, uint64_t from) = 0;
    // How the job ended, in words; "" where it ended well. isStopped: cancel() was called.
    virtual std::string endText(const JobAnswer& answer, bool isStopped) const = 0;
    // Why it waits, in words.
    virtual std::string pendingText(const std::string& job, const JobAnswer& answer) const = 0;
};

} // namespace lockstep::agent
