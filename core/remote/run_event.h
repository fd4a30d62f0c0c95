// SPDX-License-Identifier: Apache-2.0
// RunEvent: one line of a run's event log, as lockstep-agent writes it (capture/agent/event_log.h), in typed
// form. A plain value. What a newer agent adds is passed over; the line itself stays in the run's event file.
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
    job,     // of Slurm or Ray: what its scheduler answered
    waiting, // for reports, after the last command; seq 0: ended, and waiting for room on the disk
    alive,   // not in the log, seq is 0: the agent follows and has nothing else to send
    other
};
// The agent's words: "started", "stdout", "stderr", "step", "capture", "gpu", ...
std::string_view eventKindName(EventKind kind);

struct GpuUse {
    int index = 0;
    double busy_percent = 0; // share of the last period in which a kernel ran
    int64_t used_bytes = 0;
    int64_t total_bytes = 0;
};

// How busy a host was in the last second.
struct HostUse {
    double cpu_percent = 0; // of all cores together
    int64_t memoryUsed_bytes = 0;
    int64_t memoryTotal_bytes = 0;
    double received_bytesPerSecond = 0;
    double sent_bytesPerSecond = 0;
    int64_t diskFree_bytes = 0; // of the run folder's file system
    std::vector<GpuUse> gpus;
};

struct RunEvent {
    uint64_t seq = 0;    // from 1 without gaps in one event log; 0 = not in the log
    int64_t time_ns = 0; // Unix epoch, the node's clock
    EventKind kind = EventKind::other;
    std::optional<int64_t> command;     // index in the plan's commands; none: the run itself
    std::string text;                   // output; an error's meaning and cure; an exit's reason
    std::string line;                   // error: the line it was recognised in
    std::string word;                   // error: stable word, "cupti_taken"; capture: state, "capturing"
    std::string name;                   // started, exit: what the plan calls the command
    std::optional<int64_t> step;        // step
    std::optional<int64_t> order;       // started: of a command that waits
    bool isWaiting = false;             // started: held back until go(order)
    int64_t cut_bytes = 0;              // output: bytes of over-long lines that are in the log file only
    std::string path;                   // report, capture: a file on the node
    std::string type;                   // report: "nsys report", "trace json", ...
    int64_t size_bytes = 0;             // report
    int64_t modified_ns = 0;            // report: Unix epoch, clock of the file's server
    int64_t inode = 0;                  // report; 0 = not told
    bool isComplete = false;            // report
    bool isFlushing = false;            // report: a live process still writes it
    bool isOld = false;                 // report: written before the run began
    bool isShared = false;              // report: below the working folder, in no folder for reports
    bool isGone = false;                // report: the file was removed or renamed
    bool isRunEnd = false;              // exit of the whole run, the last event
    bool wasStopped = false;            // exit: because stop was asked for
    std::optional<int64_t> code;        // exit
    int64_t dropped_bytes = 0;          // exit: output of the command that its full disk did not take
    std::optional<int64_t> signal;      // exit
    std::string controller, worker;     // capture: verl's "HOST PID", NeMo RL's worker name
    std::string peer;                   // clockExchange: a host's name in the plan
    int64_t port = 0;                   // clockExchange, listening
    std::vector<std::string> addresses; // the same
    HostUse use;                        // sample
    std::optional<JobStatus> job;       // job
};

// corrupt: not a JSON object with seq and kind, or beyond the limits of jsonFromPeer().
Result<RunEvent> runEventFromLine(std::string_view line);

// Pairs of hexadecimal digits to the bytes they spell.
std::string bytesFromHex(std::string_view hex);

} // namespace lockstep
