// SPDX-License-Identifier: Apache-2.0
// HostMachine: the states of one host's part of a run and the steps between them, as one table. Without Qt,
// clock or connection: an input and what holds at that moment go in, the next state and one command come out.
// HostRun owns the connection, gives the inputs, and carries the commands out. README.md of this folder shows
// the table as a diagram; host_machine_test compares both.
//
// Invariants, held by the table's order and by the test: a final state is never left, and from every other
// state a final one can be reached. Cost: one pass over the table per input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/remote/run_status.h"

namespace lockstep {

// What can happen to a host's part of a run.
enum class HostInput : uint8_t {
    begun,       // the run was started here, or picked up
    turn,        // its turn to connect has come
    installed,   // the agent's program is on the host
    libraryPut,  // the capture library is where the plan has it
    refused,     // the plan cannot be started there: see the reason
    started,     // the agent has the plan
    job,         // its Slurm or Ray job changed
    stop,        // the user asked to stop
    linkFailed,  // a call to the host failed
    retryDue,    // the time until the next try is over
    recordsRead, // a node's events were read to the end, over the login node
    runEnded,    // the host's events record the end of its run
    cutOff       // following it was given up: it sends too much, or cannot record the end
};
inline constexpr size_t kHostInputs = 13;
std::string_view hostInputName(HostInput input);

// What HostRun is to do.
enum class HostCommand : uint8_t {
    none,
    queue,         // wait for its turn
    install,       // put the agent's program there
    putLibrary,    // put the capture library there
    start,         // give the plan to the agent
    follow,        // read its events, and send again what a lost link may have lost
    sendStop,      // ask the agent to stop
    retry,         // wait, then queue
    readOverLogin, // read a node's events over the login node
    close          // nothing more is asked of the host
};
std::string_view hostCommandName(HostCommand command);

// What holds at the moment of an input.
struct HostConditions {
    bool isStarted = false;       // the agent has the plan
    bool needsLibrary = false;    // the plan names a capture library that Lockstep puts there
    bool isStopRequested = false; // by the user
    bool isNode = false;          // of a Slurm job: it is stopped with the job
    bool isJobPending = false;    // submitting or pending
    bool isJobOver = false;       // linkFailed: the way to a node ended with its job
    bool mayRetry = false;        // linkFailed: another try may help, and patience is not over
    bool isGood = false;          // runEnded: exit status 0, or stopped as asked
};

// A condition of a row, with the name that the diagram shows.
struct HostGuard {
    std::string_view name;
    bool (*holds)(const HostConditions& now); // nullptr: always
};

struct HostTransition {
    HostState from;
    HostInput input;
    HostGuard guard;
    // nullopt: one of the followed states, by followedState().
    std::optional<HostState> to;
    HostCommand command;
};
// The rows in the order in which they are tried; the first that applies is the step.
std::span<const HostTransition> hostTransitions();

struct HostStep {
    HostState state;
    HostCommand command;
};
// nullopt: the input changes nothing in this state.
std::optional<HostStep> hostStep(HostState from, HostInput input, const HostConditions& now);

// pending, running or stopping: the host's events are followed.
bool isFollowed(HostState state);
HostState followedState(const HostConditions& now);

// The table as a Mermaid state diagram, one line per row.
std::string hostDiagram();

} // namespace lockstep
