// SPDX-License-Identifier: Apache-2.0
// JobAnswer is what Slurm or Ray answered about one job, in one form for both. A value. Everything in it came
// from the scheduler; nothing is inferred from silence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class SchedulerKind : uint8_t { slurm, ray };
// "Slurm", "Ray".
std::string_view schedulerName(SchedulerKind kind);

enum class JobPhase : uint8_t {
    submitting, // no id yet
    pending,    // accepted, not started
    running,
    ending, // the scheduler cleans up after it (Slurm's COMPLETING)
    ended,
    forgotten // the scheduler no longer knows the job, and no accounting tells how it ended
};
// "submitting", "pending", ...: the words of event logs.
std::string_view jobPhaseName(JobPhase phase);
std::optional<JobPhase> jobPhaseNamed(std::string_view name);

// A node of a job. component: its part of a heterogeneous Slurm job, -1 for every other job.
struct JobNode {
    std::string name;
    int component = -1;

    friend bool operator==(const JobNode&, const JobNode&) = default;
};

inline constexpr int kMostRestarts = 1'000'000; // of one job; larger values are clamped

struct JobAnswer {
    JobPhase phase = JobPhase::pending;
    std::string state;                      // the scheduler's word: "PENDING", "TIMEOUT", "SUCCEEDED"
    std::string reason;                     // Slurm's word ("JobHeldUser"), Ray's message; "" = none given
    std::optional<int64_t> expectedStart_s; // Unix epoch; only while pending
    std::vector<std::pair<int, std::string>> nodeLists; // by component, as Slurm abbreviates them: "n[0-3]"
    std::string outputFile;                             // on the cluster's disks; "" = not known
    std::optional<int> exitStatus, signal;              // of the job's script, once it has ended
    std::string timeLimit;                              // "1-00:00:00"; "" = not known
    std::optional<int> restarts;                        // number of requeues

    friend bool operator==(const JobAnswer&, const JobAnswer&) = default;
};

// What is known of a run's job, as the agent records it and every surface shows it.
struct JobStatus {
    SchedulerKind scheduler = SchedulerKind::slurm;
    std::string job; // id; "" = not submitted
    JobPhase phase = JobPhase::submitting;
    std::string state, reason; // as JobAnswer
    std::string text;          // pending, ended: the state in words, without the job's id
    std::optional<int64_t> expectedStart_s;
    std::optional<int64_t> silentSince_s; // Unix epoch: the scheduler has not answered since then
    std::string silence;                  // its words: "Unable to contact slurm controller"
    std::vector<JobNode> nodes;
    int restarts = 0; // number of requeues

    friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// One sentence about the job for a person, times in this machine's time zone:
// "Slurm job 12 is pending: held by its owner (JobHeldUser); scontrol release 12 releases it"
// "Slurm has not answered since 18:02 (connect failure); the last known state of job 12 is running"
std::string jobSentence(const JobStatus& status);
// "18:02", or "2026-11-27 18:02" on another day than now_s. Unix-epoch seconds, local time zone.
std::string clockText(int64_t time_s, int64_t now_s);

} // namespace lockstep
