// SPDX-License-Identifier: Apache-2.0
// RayScheduler: one run as one Ray job, by the commands `ray job submit`, `status`, `stop` and `logs`. The
// submission id is chosen here, so that a submission that was not answered is found again by its id. Files in
// the run folder:
//   ray_job.log      what the current `ray job logs --follow` printed
//   ray_job_log.err  its standard error
//   ray_job.stop     exists once this run requested the end of the job
//
// Copying the job's output: Ray prints the log from its beginning each time, and the command sometimes ends
// while the job runs (ray-project/ray issue 51601). So each follower writes to a new file, whose own lines
// are left out and whose first `from` bytes of the job's output are skipped; a follower that ended is
// replaced until one has printed the job's final state.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "capture/agent/child_output.h"
#include "capture/agent/scheduler.h"
#include "core/scheduler/ray_answers.h"

namespace lockstep::agent {

struct RayJobOptions {
    // {"ray", "job", "submit", "--no-wait", "--address=http://head:8265", "--", "bash", "/path/entry.sh"}
    std::vector<std::string> submitWords;
    std::string submissionId; // unique for the run: letters, digits, '-' and '_'
    std::string folder;       // the run folder
};

class RayScheduler : public Scheduler {
  public:
    explicit RayScheduler(RayJobOptions options);
    RayScheduler(const RayScheduler&) = delete;
    RayScheduler& operator=(const RayScheduler&) = delete;
    // Ends the follower of the log. The job continues.
    ~RayScheduler() override;

    SchedulerKind kind() const override { return SchedulerKind::ray; }
    // invalid: the command is not `ray job submit`.
    Result<std::vector<std::string>> prepare() override;
    Asked<std::string> submit() override;
    Asked<std::string> find() override;
    Asked<JobAnswer> look(const std::string& job) override;
    std::vector<JobNode> nodes(const JobAnswer&) override { return {}; }
    // `ray job stop --no-wait`, as cancel(): Ray has one way to end a job. Its supervisor sends SIGTERM (or
    // RAY_JOB_STOP_SIGNAL) to the entry command and all of its descendants, and SIGKILL to those that are
    // left RAY_JOB_STOP_WAIT_TIME_S (3 s unless set) later; both variables are those of the cluster. A
    // pending job gets the request only once its supervisor has started.
    Asked<bool> askToEnd(const std::string& job) override { return stop(job); }
    Asked<bool> cancel(const std::string& job) override { return stop(job); }
    // Ray reports the exit status together with the end of the job: see JobAnswer::exitStatus.
    std::optional<int> programStatus(int) override { return std::nullopt; }
    // Once the job has ended, waits until the follower has printed the rest, 20 s at most.
    uint64_t copyOutput(const JobAnswer& answer, uint64_t from) override;
    std::string endText(const JobAnswer& answer, bool isStopped) const override;
    std::string pendingText(const std::string& job, const JobAnswer& answer) const override;

  private:
    using Clock = std::chrono::steady_clock;

    ChildOutput run(std::string_view verb, std::vector<std::string> more, double timeout_s) const;
    Asked<bool> stop(const std::string& job);
    std::vector<std::string> submitWords() const;
    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_options.folder) / name;
    }

    void startFollower();
    bool isFollowing(); // reaps a follower that has ended
    uint64_t copyNew(uint64_t from, bool isAll);

    RayJobOptions m_options;
    std::vector<std::string> m_environment;

    int m_follower = -1;     // process id
    int m_log = -1;          // its file, for reading
    uint64_t m_read = 0;     // bytes of the file that were read
    uint64_t m_logBytes = 0; // bytes of the job's output among them
    bool m_isBegun = false;  // the first record was skipped
    bool m_isWhole = false;  // the final state was printed: nothing more will come
    int m_lateStarts = 0;    // followers started after the end of the job
    Clock::time_point m_nextStart;
};

} // namespace lockstep::agent
