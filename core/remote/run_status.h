// SPDX-License-Identifier: Apache-2.0
// RunStatus: how far a run and each of its hosts have come, as a person is told. Values; Run keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/remote/run_event.h"

namespace lockstep {

enum class HostState : uint8_t {
    waiting,    // for its turn, or for other hosts' earlier commands
    connecting, // ssh and the agent's program
    starting,   // the plan goes to the host
    pending,    // its job waits in the queue of its scheduler; see reason
    running,
    linkLost,   // the run goes on there; reconnecting
    stopping,   // SIGTERM was asked for
    ended,      // with exit code 0, or stopped as asked
    failed,     // ended otherwise; see reason
    unreachable // never reached, or given up; see reason
};
std::string_view hostStateName(HostState state);
// ended, failed or unreachable.
bool isFinal(HostState state);

// Something a person should know about a host's run, in plain words.
struct RunProblem {
    int64_t time_ns = 0;  // Unix epoch, the node's clock
    std::string word;     // stable, e.g. "cupti_taken", "host_key"
    std::string text;     // what it means and what to do
    std::string line;     // of the log, where it came from one
    bool isOfLog = false; // an event of the host's log told it; else this program
};

// True where reports of the run may be missing, or another run's, although its host ended well.
bool costsReports(const RunProblem& problem);
// RunProblem::word where part of what the host sent was not used.
inline constexpr std::string_view kSkippedWord = "input_skipped";
// RunProblem::word for a requeued job. The agents on its nodes ended with the first start.
inline constexpr std::string_view kRequeuedWord = "job_requeued";

struct HostStatus {
    std::string host;
    std::string address;
    HostState state = HostState::waiting;
    std::string reason;          // failed, unreachable, linkLost: why, and what to do
    std::optional<int64_t> step; // the last one its log named
    std::string capture;         // "capturing", "flushing", "stopping", "written" or ""
    std::optional<HostUse> use;  // of the last second
    std::optional<int64_t> exitCode;
    std::optional<JobStatus> job; // that it submitted
    bool endedWithJob = false;    // a node of a job: how the job ended is reported where it was submitted
    std::optional<double> roundTrip_ms;    // of the last connection's clock reading
    std::optional<int64_t> clockOffset_ns; // host minus this machine
    std::optional<int64_t> clockError_ns;  // half the round trip
    int64_t firstEvent_ns = 0;             // node's clock
    int64_t lastEvent_ns = 0;              // node's clock, of the last event
    int64_t linkLost_ns = 0;               // Unix epoch, this machine; 0 = linked
    int reconnects = 0;
    uint64_t lastSeq = 0;                     // events received so far
    int64_t clockPort = 0;                    // where its agent compares clocks; 0: it does not
    std::vector<std::string> clockAddresses;  // how other hosts may reach it, as numbers
    std::string controller;                   // verl's TaskRunner: "HOST PID"
    std::vector<std::string> profiledWorkers; // NeMo RL's
    std::vector<RunProblem> problems;
    size_t problemsLeftOut = 0; // after the first hundred
};

// Where a host listens for others that compare their clocks with it; nothing of other events.
void noteClockPort(HostStatus& status, const RunEvent& event);

enum class RunState : uint8_t { idle, launching, running, stopping, ended, detached };
std::string_view runStateName(RunState state);

} // namespace lockstep
