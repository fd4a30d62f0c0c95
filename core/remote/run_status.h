// SPDX-License-Identifier: Apache-2.0
// States of a run and of its hosts, as shown to the user. Value types, owned by Run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/help_topic.h"
#include "core/remote/run_event.h"

namespace lockstep {

enum class HostState : uint8_t {
    waiting,    // waits for its turn, or for earlier commands of other hosts
    connecting, // connects by ssh and installs the agent
    starting,   // sends the plan to the host
    pending,    // its job is queued by the scheduler; see reason
    running,
    linkLost,   // the run continues on the host; reconnecting
    stopping,   // a stop was requested
    ended,      // ended with exit code 0, or stopped as requested
    failed,     // ended with a failure; see reason
    unreachable // never reached, or no longer retried; see reason
};
std::string_view hostStateName(HostState state);
// Returns whether the state is ended, failed or unreachable.
bool isFinal(HostState state);

// A problem of a host's run, as shown to the user.
struct RunProblem {
    int64_t time_ns = 0;  // Unix epoch, the node's clock
    std::string word;     // identifier, e.g. "cupti_taken", "host_key"
    std::string text;     // meaning and remedy
    std::string line;     // the log line that caused it, if any
    bool isOfLog = false; // reported by an event in the host's log; otherwise found by this program
};

// Returns true if reports of the run may be missing or belong to another run, although the host's run
// succeeded.
bool costsReports(const RunProblem& problem);
// Value of RunProblem::word if part of the host's data was not used.
inline constexpr std::string_view kSkippedProblem = "input_skipped";
// Value of RunProblem::word for a log line that names a failed rank, but not the cause
// (capture/agent/log_findings.h).
inline constexpr std::string_view kRankFailedProblem = "rank_failed";
// Value of RunProblem::word for a requeued job. The agents on its nodes ended when the job was requeued.
inline constexpr std::string_view kRequeuedProblem = "job_requeued";

struct HostStatus {
    std::string host;
    std::string address;
    HostState state = HostState::waiting;
    std::string reason;                     // for failed, unreachable and linkLost: cause and remedy
    HelpTopic reasonHelp = HelpTopic::none; // explains the reason
    std::optional<int64_t> step;            // latest training step in the host's log or in its captures
    std::string capture;                    // "capturing", "flushing", "stopping", "written" or ""
    std::optional<HostUsage> use;           // resource usage in the last second
    std::optional<int64_t> exitCode;
    std::optional<JobStatus> job; // job that the host submitted
    bool endedWithJob = false; // the host is a node of a job; the submitting host reports how the job ended
    std::optional<double> roundTrip_ms;    // from the clock reading of the last connection
    std::optional<int64_t> clockOffset_ns; // host minus this machine
    std::optional<int64_t> clockError_ns;  // half the round trip time
    int64_t firstEvent_ns = 0;             // Unix epoch, node's clock
    int64_t lastEvent_ns = 0;              // Unix epoch, node's clock
    int64_t linkLost_ns = 0;               // Unix epoch, this machine; 0 = connected
    int reconnects = 0;
    uint64_t lastSeq = 0;                     // seq of the last received event
    int64_t clockPort = 0;                    // port on which the agent compares clocks; 0 = none
    std::vector<std::string> clockAddresses;  // numeric addresses at which other hosts may reach this host
    std::string controller;                   // process that controls the training, as "HOST PID"
    std::vector<std::string> profiledWorkers; // names of recorded workers in the log
    std::vector<RunProblem> problems;
    size_t problemsOmitted = 0; // number of problems beyond the first hundred
};

// Returns the latest problem of the host's log that states a cause, or nullptr.
const RunProblem* loggedCause(const HostStatus& status);

// Stores the port and addresses of a clock_exchange event. Ignores other events.
void noteClockPort(HostStatus& status, const RunEvent& event);

enum class RunState : uint8_t { idle, launching, running, stopping, ended, detached };
std::string_view runStateName(RunState state);

} // namespace lockstep
