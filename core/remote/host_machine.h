// SPDX-License-Identifier: Apache-2.0
// The state machine of one host's part of a run, as a table of transitions. It does not use Qt, a clock or a
// connection: hostStep() maps a state, an input and the current conditions to the next state and one command.
// HostRun owns the connection, passes the inputs and executes the commands. README.md in this folder shows
// the table as a diagram; host_machine_test checks that both agree.
//
// Invariants, checked by host_machine_test: no transition leaves a final state, and every other state can
// reach a final one. Cost: one linear search of the table per input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/remote/run_status.h"

namespace lockstep {

// Inputs of the state machine.
enum class HostInput : uint8_t {
    begun,            // Lockstep launched the run or attached to it
    turn,             // the host may connect now; only a limited number of hosts connect at the same time
    installed,        // the agent is installed on the host
    libraryInstalled, // the capture library is at the path that the plan specifies
    refused,          // the plan cannot be started on the host; the reason is passed along
    started,          // the agent accepted the plan
    job,              // the state of the host's Slurm or Ray job changed
    stop,             // the user requested a stop
    linkFailed,       // a call to the host failed
    retryDue,         // the wait before the next attempt is over
    recordsRead,      // all events of a Slurm node were read through the login node
    runEnded,         // the host's run ended
    cutOff            // the host sent too many events, so Lockstep stopped following it
};
inline constexpr size_t kHostInputs = 13;

// Commands for HostRun.
enum class HostCommand : uint8_t {
    none,
    queue,          // wait until the host may connect
    install,        // install the agent on the host
    installLibrary, // copy the capture library to the host
    start,          // send the plan to the agent
    follow,         // read the host's events and repeat requests that a lost link may have dropped
    sendStop,       // request a stop from the agent
    retry,          // wait, then try again (input retryDue)
    readOverLogin,  // read a Slurm node's events through the login node
    close           // cancel pending attempts; the host is done
};

// Conditions that a transition may depend on.
struct HostConditions {
    bool isStarted = false;       // the agent accepted the plan
    bool needsLibrary = false;    // the plan specifies a capture library that Lockstep copies to the host
    bool isStopRequested = false; // the user requested a stop
    bool isNode = false;          // a node of a Slurm job; it stops with the job
    bool isJobPending = false;    // the job is being submitted or is pending
    bool isJobOver = false;       // for linkFailed: the node is unreachable because its job has ended
    // for linkFailed: another attempt may succeed, and the timeout has not been reached
    bool mayRetry = false;
    bool isSuccess = false; // for runEnded: exit status 0, or stopped as requested
};

// A condition of a transition. `name` is its label in the diagram, or "" if there is no condition.
struct HostGuard {
    std::string_view name;
    bool (*holds)(const HostConditions& now); // nullptr means always
};

struct HostTransition {
    HostState from;
    HostInput input;
    HostGuard guard;
    // nullopt means the result of followedState().
    std::optional<HostState> to;
    HostCommand command;
};
// Returns the table. If the conditions of several transitions hold, the first one is taken.
std::span<const HostTransition> hostTransitions();

struct HostStep {
    HostState state;
    HostCommand command;
};
// Returns the step for an input, or nullopt if the state ignores this input.
std::optional<HostStep> hostStep(HostState from, HostInput input, const HostConditions& now);

// Returns whether Lockstep is following the host's events, i.e. whether the state is pending, running or
// stopping.
bool isFollowed(HostState state);
// Returns the state that results from the conditions: pending, running or stopping.
HostState followedState(const HostConditions& now);

// Returns the table as a Mermaid state diagram, one line per transition.
std::string hostDiagram();

} // namespace lockstep
