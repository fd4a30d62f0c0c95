// SPDX-License-Identifier: Apache-2.0
// The command monitor is one small process per command. It runs between the training program and every
// process that may die. It starts the program in its own session, copies its output to log files, and writes
// exit.json when the program ends. It remains the parent of the processes that the program left behind (such
// as Ray daemons) until the last of them has ended. No process waits for the monitor.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace lockstep::agent {

// Finds the processes that a command left on this node by reading /proc. Finds them even if they changed
// their process group or session. Any thread.
struct LiveProcess {
    int pid = 0;
    std::string name;       // file name of the program, truncated by the Linux kernel to 15 bytes
    bool isService = false; // Ray daemons and their children, which are meant to outlive the command
};

// Returns every live descendant of a process, without the process itself. Takes one pass over /proc.
// Processes whose parent died are included as long as `root` is their subreaper.
std::vector<LiveProcess> descendantsOf(int root);

// Returns true for the profiler's own workers, which convert a recording to a report after the program has
// ended.
bool isReportWriter(const LiveProcess& process);

// One command of a plan.
struct Command {
    std::string name;              // display name, e.g. "train"
    int order = 1;                 // applies across all hosts of the run; see Supervisor
    std::vector<std::string> argv; // argv[0] is looked up in PATH; "${LOCKSTEP_SECRET_X}" in it is replaced
                                   // by the value of that variable when the program starts
    std::filesystem::path workingFolder;                          // empty: working folder of the agent
    std::vector<std::pair<std::string, std::string>> environment; // added to the environment of the agent
    std::vector<std::string> secrets{}; // variables of `environment` whose values are not written anywhere
    // True for a command that follows a job, which continues without the command. The command itself handles
    // stop requests, and it is restarted if it was killed.
    bool isFollower = false;
};

// Forks a command monitor for the command and returns once the command runs. The monitor outlives the caller.
// folder receives stdout.log, stderr.log, monitor.pid, child.pid and, at the end, exit.json. Does nothing if
// the command of the folder was started before. Returns io if the command cannot be started.
Status startCommandMonitor(const Command& command, const std::filesystem::path& folder);
// Deletes the record that the command of the folder was started. Its processes must have ended.
void removeStartRecord(const std::filesystem::path& folder);

// Returns true if a process of the command is alive: the leader of its process group or any descendant of its
// monitor.
bool hasLiveProcesses(const std::filesystem::path& folder);
// Returns the live processes that the command itself left behind, without services and workers of the
// profiler.
std::vector<LiveProcess> leftoverProcesses(const std::filesystem::path& folder);
// Returns true if a live process of the command is a profiler that may still be writing a report.
bool hasReportWriter(const std::filesystem::path& folder);

// Sends a signal to the process group of the command and to every live descendant of its monitor, regardless
// of its process group. SIGTERM is not sent to workers of nsys, because they end on their own once the report
// is written.
void signalCommand(const std::filesystem::path& folder, int signal);

} // namespace lockstep::agent
