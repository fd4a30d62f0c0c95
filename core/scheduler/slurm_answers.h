// SPDX-License-Identifier: Apache-2.0
// Readers of what Slurm's commands print, checked against Slurm 22.05. Every command is run with
// SLURM_TIME_FORMAT=%s, so that times are Unix-epoch seconds whatever the host's time zone. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

// The environment variable of above, as env(1) takes it.
inline constexpr std::string_view kSlurmTimes = "SLURM_TIME_FORMAT=%s";

// Variables that narrow what squeue lists, whatever it is asked for: with SQUEUE_STATES=RUNNING it prints
// nothing for a pending job. They are unset for every question.
inline constexpr std::array<const char*, 7> kSqueueFilters{
    "SQUEUE_ACCOUNT", "SQUEUE_LICENSES", "SQUEUE_NAMES", "SQUEUE_PARTITION",
    "SQUEUE_QOS",     "SQUEUE_STATES",   "SQUEUE_USERS"};

// What a failed command means.
enum class SlurmFailure : uint8_t {
    unknownJob, // "Invalid job id specified": Slurm knows no such job (any more)
    noAnswer,   // the controller was not reached or answered too late; the request may have been carried out
    refused     // Slurm answered, and not as asked
};
SlurmFailure slurmFailureFrom(std::string_view errorText);
// The first error in it, without "sbatch: error: " before it; the first line where none is marked as an
// error. A site's plugins print lines of their own before it.
std::string slurmErrorText(std::string_view errorText);

struct SlurmJobId {
    std::string job;     // "12"
    std::string cluster; // of a federation, "" = the default one

    friend bool operator==(const SlurmJobId&, const SlurmJobId&) = default;
};
// From the output of `sbatch --parsable`: the one line that is "ID" or "ID;CLUSTER". Sites print other lines
// around it. nullopt where no line or more than one is an id.
std::optional<SlurmJobId> slurmJobIdFrom(std::string_view output);
bool isSlurmJobId(std::string_view text);
// The job whose script is `script` (an absolute path), from `squeue -h -a -t all -o '%F|%o'`; the newest.
std::optional<std::string> slurmJobOfScript(std::string_view output, std::string_view script);

// From `scontrol show job -o ID`: one line per component of a heterogeneous job. corrupt: no line has a
// state.
Result<JobAnswer> slurmAnswerFromScontrol(std::string_view output);
// From `sacct -n -P -X -j ID -o State,ExitCode`. nullopt: accounting has no such job.
std::optional<JobAnswer> slurmAnswerFromSacct(std::string_view output);
// Names that can be a node's, of the lines of `scontrol show hostnames LIST`.
std::vector<std::string> slurmNodesFrom(std::string_view output);

// A phase for Slurm's state word; "PENDING" and everything that waits to run again is pending.
JobPhase slurmPhase(std::string_view state);

// Why a pending job waits, in words, with Slurm's word and what to do: "held by its owner (JobHeldUser); run
// scontrol release 12 to release it".
std::string slurmPendingText(std::string_view job, std::string_view reason);
// How a job ended, the cause first: "time limit of 1 minute reached (TIMEOUT)", "canceled (CANCELLED)".
// isStopped: Lockstep canceled it. "" for a job that ended well.
std::string slurmEndText(const JobAnswer& answer, bool isStopped);
// "1 minute", "2 days 4 hours" for "00:01:00", "2-04:00:00"; the text itself where it is no length of time.
std::string slurmLengthText(std::string_view limit);
// "exit status 137: ended by SIGKILL, which the kernel sends when memory runs out" for what a shell gives as
// $?.
std::string exitStatusText(int status);

} // namespace lockstep
