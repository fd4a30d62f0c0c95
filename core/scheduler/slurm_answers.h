// SPDX-License-Identifier: Apache-2.0
// Parsers for the output of Slurm's commands, checked against Slurm 22.05. Every command is run with
// SLURM_TIME_FORMAT=%s, so that times are Unix-epoch seconds, independent of the host's time zone. Pure; any
// thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

// The environment variable as an argument for env(1).
inline constexpr std::string_view kSlurmTimes = "SLURM_TIME_FORMAT=%s";

// Variables that restrict the output of squeue. For example, with SQUEUE_STATES=RUNNING it prints nothing for
// a pending job. They are unset for every query.
inline constexpr std::array<const char*, 7> kSqueueFilters{
    "SQUEUE_ACCOUNT", "SQUEUE_LICENSES", "SQUEUE_NAMES", "SQUEUE_PARTITION",
    "SQUEUE_QOS",     "SQUEUE_STATES",   "SQUEUE_USERS"};

// Meaning of a failed command.
enum class SlurmFailure : uint8_t {
    unknownJob, // "Invalid job id specified": Slurm does not know the job (any more)
    // The controller was not reached or responded too late, so the request may have been carried out.
    noAnswer,
    refused // Slurm rejected the request
};
SlurmFailure slurmFailureFrom(std::string_view errorText);
// Returns the first error in the text, without the prefix "sbatch: error: ", because site plugins may print
// other lines before it. Returns the first line if no line is marked as an error.
std::string slurmErrorText(std::string_view errorText);

struct SlurmJobId {
    std::string job;     // such as "12"
    std::string cluster; // cluster of a federation; "" = the default cluster

    friend bool operator==(const SlurmJobId&, const SlurmJobId&) = default;
};
// Parses the output of `sbatch --parsable`, which contains one line of the form "ID" or "ID;CLUSTER". Sites
// may print other lines. Returns nullopt unless exactly one line is an ID.
std::optional<SlurmJobId> slurmJobIdFrom(std::string_view output);
bool isSlurmJobId(std::string_view text);
// Returns the ID of the newest job whose script is `script` (an absolute path), from the output of `squeue -h
// -a -t all -o '%F|%o'`.
std::optional<std::string> slurmJobOfScript(std::string_view output, std::string_view script);

// Parses the output of `scontrol show job -o ID`, which has one line per component of a heterogeneous job.
// Returns corrupt if no line has a state.
Result<JobAnswer> slurmAnswerFromScontrol(std::string_view output);
// Parses the output of `sacct -n -P -X -j ID -o State,ExitCode`. Returns nullopt if accounting does not know
// the job.
std::optional<JobAnswer> slurmAnswerFromSacct(std::string_view output);
// Returns the valid node names in the output of `scontrol show hostnames LIST`.
std::vector<std::string> slurmNodesFrom(std::string_view output);

// Returns the phase that corresponds to Slurm's state. "PENDING" and all states in which a job waits for a
// restart are pending.
JobPhase slurmPhase(std::string_view state);

// Returns why a job is pending, with Slurm's reason and a remedy: "held by its owner (JobHeldUser); run
// scontrol release 12 to release it".
std::string slurmPendingText(std::string_view job, std::string_view reason);
// Returns how a job ended, with the cause first: "time limit of 1 minute reached (TIMEOUT)", "canceled
// (CANCELLED)". Returns "" for a job that succeeded. isStopped: Lockstep canceled the job.
std::string slurmEndText(const JobAnswer& answer, bool isStopped);
// Returns "1 minute" for "00:01:00", "2 days 4 hours" for "2-04:00:00", or the text itself if it is not a
// duration.
std::string slurmLengthText(std::string_view limit);
// Describes a shell's $?: "exit status 137: ended by SIGKILL, which the kernel sends when memory runs out".
std::string exitStatusText(int status);

} // namespace lockstep
