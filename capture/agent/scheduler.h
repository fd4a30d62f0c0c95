// SPDX-License-Identifier: Apache-2.0
// Scheduler is the interface to the commands of Slurm or Ray that JobFollower needs for one job. Each call
// runs a few child processes at most, each with a timeout. Results are an exit status and the scheduler's own
// text, never a guess. One thread; blocking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scheduler/job_answer.h"

namespace lockstep::agent {

// Result of one query. noAnswer: the scheduler was not reached; the request may have been carried out anyway.
template<class T>
struct Request {
    enum class Outcome : uint8_t { answered, noAnswer, refused };

    Outcome how = Outcome::noAnswer;
    T value{};
    std::string message; // for noAnswer and refused: readable text of the scheduler

    bool isAnswered() const { return how == Outcome::answered; }
    static Request answered(T value) { return {Outcome::answered, std::move(value), {}}; }
    static Request noAnswer(std::string message) { return {Outcome::noAnswer, {}, std::move(message)}; }
    static Request refused(std::string message) { return {Outcome::refused, {}, std::move(message)}; }
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;

    virtual SchedulerKind kind() const = 0;
    // Checks everything that can be checked before queueing, and writes the files that the job needs. Returns
    // notes about changes to the user's request. The errors invalid, notFound and io specify the user's file.
    virtual Result<std::vector<std::string>> prepare() = 0;
    // Submits the job and returns its ID. Called once. After noAnswer, find() decides whether the submission
    // worked.
    virtual Request<std::string> submit() = 0;
    // Returns the ID of the job that an earlier submit() created, or "" if there is none.
    virtual Request<std::string> find() = 0;
    // Returns the job's state; phase `forgotten` if the scheduler does not know the job (any more).
    virtual Request<JobAnswer> queryState(const std::string& job) = 0;
    // Returns the names of the nodes in a response.
    virtual std::vector<JobNode> nodes(const JobAnswer& answer) = 0;
    // Requests the program of a running job to end (SIGTERM), so that its profiler can write reports.
    virtual Request<bool> requestEnd(const std::string& job) = 0;
    // Ends the job unconditionally. Does not wait until it has ended.
    virtual Request<bool> cancel(const std::string& job) = 0;
    // Returns the program's exit status, which may be known before the scheduler reports the end of the job.
    // restarts: number of requeues so far. An exit status from before the last requeue does not count.
    virtual std::optional<int> programStatus(int restarts) = 0;
    // Copies the job's output to standard output, starting at byte `from`. Returns the byte offset after the
    // copied output. Blocks only once the job has ended: while output arrives, and then for at most 20 s.
    virtual uint64_t copyOutput(const JobAnswer& answer, uint64_t from) = 0;
    // Returns true if copyOutput() gave up before the end of the output.
    virtual bool isOutputCut() const { return false; }
    // Returns how the job ended, as readable text, or "" if it succeeded. isStopped: cancel() was called.
    virtual std::string endText(const JobAnswer& answer, bool isStopped) const = 0;
    // Returns why the job is pending, as readable text.
    virtual std::string pendingText(const std::string& job, const JobAnswer& answer) const = 0;
};

} // namespace lockstep::agent
