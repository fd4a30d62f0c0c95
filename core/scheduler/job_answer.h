// SPDX-License-Identifier: Apache-2.0
// JobAnswer is the response of Slurm or Ray about one job, in a common form. Value type. It contains only
// what the scheduler reported. Nothing is inferred from a missing response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fields.h"

namespace lockstep {

enum class SchedulerKind : uint8_t { slurm, ray };

enum class JobPhase : uint8_t {
    submitting, // the job has no ID yet
    pending,    // accepted, not started
    running,
    ending, // the scheduler is cleaning up after the job (Slurm's COMPLETING)
    ended,
    forgotten // the scheduler no longer knows the job, and accounting has no record of its end
};
// Returns "submitting", "pending", ..., as used in event logs.
std::string_view jobPhaseName(JobPhase phase);
std::optional<JobPhase> jobPhaseNamed(std::string_view name);

// A node of a job. `component` is its component of a heterogeneous Slurm job, or -1 for other jobs.
struct JobNode {
    std::string name;
    int component = -1;

    friend bool operator==(const JobNode&, const JobNode&) = default;
};

// Maximum number of restarts per job; larger values are clamped.
inline constexpr int kMaxRestarts = 1'000'000;

struct JobAnswer {
    JobPhase phase = JobPhase::pending;
    std::string state;  // state as named by the scheduler: "PENDING", "TIMEOUT", "SUCCEEDED"
    std::string reason; // Slurm's reason ("JobHeldUser") or Ray's message; "" = none
    std::optional<int64_t> expectedStart_s; // Unix epoch; only while pending
    // Node lists by component, as Slurm abbreviates them: "n[0-3]".
    std::vector<std::pair<int, std::string>> nodeLists;
    std::string outputFile;                // path on the cluster's disks; "" = unknown
    std::optional<int> exitStatus, signal; // status and signal of the job's script, once it has ended
    std::string timeLimit;                 // such as "1-00:00:00"; "" = unknown
    std::optional<int> restarts;           // number of requeues

    friend bool operator==(const JobAnswer&, const JobAnswer&) = default;
};

// State of a run's job, as the agent records it and all user interfaces show it.
struct JobStatus {
    SchedulerKind scheduler = SchedulerKind::slurm;
    std::string job; // ID; "" = not submitted
    JobPhase phase = JobPhase::submitting;
    std::string state, reason; // same as in JobAnswer
    std::string text;          // for pending and ended: readable text, without the job ID
    std::optional<int64_t> expectedStart_s;
    // Unix epoch; time since which the scheduler has not responded; nullopt = it responds.
    std::optional<int64_t> silentSince_s;
    std::string silence; // error from the scheduler, such as "Unable to contact slurm controller"
    std::vector<JobNode> nodes;
    int restarts = 0; // number of requeues

    friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// Returns one sentence about the job, with times in this machine's time zone: "Slurm job 12 is pending: held
// by its owner (JobHeldUser); run scontrol release 12 to release it" "Slurm has not answered since 18:02
// (connect failure); the last known state of job 12 is running"
std::string jobSentence(const JobStatus& status);
// Returns a time such as "18:02", or "2026-11-27 18:02" if now_s is on a different day. Both arguments are in
// Unix-epoch seconds; the result is in the local time zone.
std::string clockText(int64_t time_s, int64_t now_s);

// JobStatus as JSON: job.json in a run folder, and the fields of a "job" event (capture/agent/event_log.h).

// Returns {"scheduler", "job", "phase", "state", "reason", "text", ["expected_start_s"], ["silent_since_s",
// "silence"], "nodes": [{"name", ["component"]}]}.
Json jsonFromJobStatus(const JobStatus& status);
// Parses a job status. Fields that are absent or have a different type keep their defaults; invalid node
// names are skipped.
JobStatus jobStatusFromJson(const Json& object);

} // namespace lockstep
