// SPDX-License-Identifier: Apache-2.0
// RayScheduler runs one run as one Ray job, with the commands `ray job submit`, `status`, `stop` and `logs`.
// It chooses the submission ID, so that a submission without a response can be found again by that ID. Files
// in the run folder:
// ray_job.log      output of the current `ray job logs --follow`
// ray_job_log.err  standard error of that command
// ray_job.stop     exists once this run requested the end of the job
//
// How the job's output is copied: Ray prints the log from its beginning each time, and the command sometimes
// ends while the job runs (ray-project/ray issue 51601). So each follower writes to a new file. The lines
// that the follower itself adds are removed, and the first `from` bytes of the job's output are skipped. A
// follower that has ended is replaced until one of them has printed the final state of the job.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "capture/agent/child_output.h"
#include "capture/agent/scheduler.h"
#include "core/base/child_process.h"
#include "core/scheduler/ray_answers.h"

namespace lockstep::agent {

struct RayJobOptions {
    // {"ray", "job", "submit", "--no-wait", "--address=http://head:8265", "--", "bash", "/path/entry.sh"}
    std::vector<std::string> submitCommand;
    std::string submissionId; // unique for the run: letters, digits, '-' and '_'
    std::string folder;       // the run folder
    // Once the job has ended, the rest of its output is missing if nothing arrives for so long.
    std::chrono::milliseconds outputTimeout = std::chrono::seconds(20);
};

class RayScheduler : public Scheduler {
  public:
    explicit RayScheduler(RayJobOptions options);
    RayScheduler(const RayScheduler&) = delete;
    RayScheduler& operator=(const RayScheduler&) = delete;
    // Kills the process that follows the log. The job continues.
    ~RayScheduler() override;

    SchedulerKind kind() const override { return SchedulerKind::ray; }
    // Returns invalid if the command is not `ray job submit`.
    Result<std::vector<std::string>> prepare() override;
    Request<std::string> submit() override;
    Request<std::string> find() override;
    Request<JobAnswer> queryState(const std::string& job) override;
    std::vector<JobNode> nodes(const JobAnswer&) override { return {}; }
    // Calls `ray job stop --no-wait`, like cancel(), because Ray has only one way to end a job. The job's
    // supervisor sends SIGTERM (or RAY_JOB_STOP_SIGNAL) to the command and all of its descendants. Those that
    // remain get SIGKILL after RAY_JOB_STOP_WAIT_TIME_S (default: 3 s). Both variables are read from the
    // environment of the cluster. A pending job receives the request only once its supervisor has started.
    Request<bool> requestEnd(const std::string& job) override { return stop(job); }
    Request<bool> cancel(const std::string& job) override { return stop(job); }
    // Ray reports the exit status together with the end of the job, see JobAnswer::exitStatus.
    std::optional<int> programStatus(int) override { return std::nullopt; }
    // Once the job has ended, waits until a follower has printed the rest of the output, or prints nothing
    // for outputTimeout.
    uint64_t copyOutput(const JobAnswer& answer, uint64_t from) override;
    bool isOutputCut() const override { return m_isOutputCut; }
    std::string endText(const JobAnswer& answer, bool isStopped) const override;
    std::string pendingText(const std::string& job, const JobAnswer& answer) const override;

  private:
    using Clock = std::chrono::steady_clock;

    ChildOutput run(std::string_view verb, std::vector<std::string> more, double timeout_s) const;
    Request<bool> stop(const std::string& job);
    std::vector<std::string> submitCommand() const;
    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_options.folder) / name;
    }

    void startFollower();
    bool isFollowing(); // Also reaps a follower that has ended.
    uint64_t copyNew(uint64_t from, bool isAll);

    RayJobOptions m_options;
    std::vector<std::string> m_environment;

    ChildProcess m_follower;
    int m_log = -1;          // file descriptor for reading the follower's file
    uint64_t m_read = 0;     // number of bytes of the file that were read
    uint64_t m_logBytes = 0; // number of those bytes that are output of the job
    bool m_isBegun = false;  // the first record was skipped
    bool m_isWhole = false;  // the final state was printed, so no more output will follow
    bool m_isOutputCut = false;
    int m_lateStarts = 0; // number of followers started after the end of the job
    Clock::time_point m_nextStart;
};

} // namespace lockstep::agent
