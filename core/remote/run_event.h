// SPDX-License-Identifier: Apache-2.0
// RunEvent is one line of a run's event log in typed form. lockstep-agent writes the log
// (capture/agent/event_log.h). Value type. Fields of newer agents are ignored; the line itself remains in the
// run's event file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

enum class EventKind : uint8_t {
    started,
    standardOutput,
    standardError,
    step,
    capture,
    sample,
    report,
    exit,
    error,
    heartbeat,
    clockExchange,
    job, // state of a Slurm or Ray job, as reported by its scheduler
    // Waiting for reports after the last command; with seq 0: the run has ended and is waiting for disk
    // space.
    waiting,
    launch, // a launch script starts a training; see capture/agent/launch_shim.h
    alive,  // heartbeat with seq 0, not in the log: the agent has nothing else to send
    other
};
// Returns the name of the kind in the agent's log: "started", "stdout", "stderr", "step", "capture", "gpu",
// ...
std::string_view eventKindName(EventKind kind);

struct GpuUsage {
    int index = 0;
    double busy_percent = 0; // share of the last period in which a GPU kernel ran
    int64_t used_bytes = 0;
    int64_t total_bytes = 0;
};

// Resource usage of a host in the last second.
struct HostUsage {
    double cpu_percent = 0; // over all cores together
    int64_t memoryUsed_bytes = 0;
    int64_t memoryTotal_bytes = 0;
    double received_bytesPerSecond = 0;
    double sent_bytesPerSecond = 0;
    int64_t diskFree_bytes = 0; // free space on the run folder's file system
    std::vector<GpuUsage> gpus;
};

struct RunEvent {
    uint64_t seq = 0;    // starts at 1, without gaps in an event log; 0 = not in the log
    int64_t time_ns = 0; // Unix epoch, the node's clock
    EventKind kind = EventKind::other;
    // Index in the plan's commands; nullopt: the event concerns the run itself.
    std::optional<int64_t> command;
    std::string text; // output; meaning and remedy of an error; reason of an exit
    std::string line; // error: the output line that caused it
    std::string word; // error: identifier, such as "cupti_taken"; capture: state, such as "capturing"
    std::string name; // started, exit: the command's name in the plan
    std::optional<int64_t> step;        // step; report: latest training step in a capture
    bool isStepEnd = false;             // step: the step has ended
    std::optional<int64_t> order;       // started: the command is held back until go(order)
    bool isWaiting = false;             // started: held back until go(order)
    int64_t cut_bytes = 0;              // output: bytes of over-long lines that are in the log file only
    std::string path;                   // report, capture: a file on the node; step: the capture, if any
    std::string type;                   // report: "nsys report", "trace json", ...
    int64_t size_bytes = 0;             // report: size of the file
    int64_t modified_ns = 0;            // report: Unix epoch, clock of the file server
    int64_t inode = 0;                  // report: inode of the file; 0 = unknown
    bool isComplete = false;            // report: the file is complete
    bool isFlushing = false;            // report: a running process is still writing it
    bool isOld = false;                 // report: written before the run began
    bool isFinal = false;               // report: its process has ended without completing it
    std::optional<int64_t> exitStatus;  // report: exit status of the process that wrote a capture
    bool isShared = false;              // report: below the working folder, but in no report folder
    bool isGone = false;                // report: the file was removed or renamed
    bool isRunEnd = false;              // the run has ended; this is the last event
    bool wasStopped = false;            // exit: the run ended because a stop was requested
    std::optional<int64_t> code;        // exit
    int64_t dropped_bytes = 0;          // exit: output lost because the disk was full
    std::optional<int64_t> signal;      // exit
    std::string controller, worker;     // capture: "HOST PID" of the controller, name of a recorded worker
    std::string peer;                   // clockExchange: a host's name in the plan
    int64_t port = 0;                   // clockExchange, listening
    std::vector<std::string> addresses; // clockExchange, listening
    HostUsage use;                      // sample
    std::optional<JobStatus> job;       // job
    // launch: how it was recognized (profiled, foreign, refused), its framework, and its arguments as the
    // script wrote them and as they run, without secrets.
    std::string outcome, framework;
    std::vector<std::string> argv, profiledArgv;
    std::vector<std::string> addedEnvironment; // launch: NAME=value
};

// Parses a line. Returns corrupt if the line is not a JSON object with seq and kind, or if it exceeds the
// limits of jsonFromPeer().
Result<RunEvent> runEventFromLine(std::string_view line);

// Decodes pairs of hexadecimal digits.
std::string bytesFromHex(std::string_view hex);

} // namespace lockstep
