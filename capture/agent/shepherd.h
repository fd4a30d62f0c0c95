// SPDX-License-Identifier: Apache-2.0
// The shepherd: one small process a command, between the training program and everything that may die. It
// starts the program in a session of its own, drains its output into log files, writes exit.json when the
// program ends, and stays as the parent of whatever the program left behind (Ray's daemons, say) until the
// last of it is gone. Nobody waits for it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "capture/agent/process_tree.h"
#include "core/base/result.h"

namespace lockstep::agent {

// One command of a plan.
struct Command {
    std::string name;              // for people, e.g. "train"
    int order = 1;                 // over all hosts of the run; see Supervisor
    std::vector<std::string> argv; // argv[0] is looked up in PATH; "${LOCKSTEP_SECRET_X}" in it is replaced
                                   // by that variable's value when the program starts
    std::filesystem::path workingFolder;                          // empty: the agent's
    std::vector<std::pair<std::string, std::string>> environment; // added to the agent's own
    std::vector<std::string> secrets{}; // variables of `environment` whose values are written nowhere
    // It follows a job that lives on without it: a stop request is its own to carry out, and it is started
    // again when it was killed.
    bool isFollower = false;
};

// Forks a shepherd for the command and returns once it runs. The shepherd outlives the caller. folder
// receives stdout.log, stderr.log, shepherd.pid, child.pid and, at the end, exit.json. Does nothing when the
// folder's command was started before. io when it cannot be started.
Status startShepherd(const Command& command, const std::filesystem::path& folder);
// Forgets that the folder's command was started. Its processes must be gone.
void forgetStart(const std::filesystem::path& folder);

// Live processes of a command: its process group's leader and every descendant of its shepherd.
bool hasLiveProcesses(const std::filesystem::path& folder);
// Those of them that nothing but the command accounts for: no profiler's workers, no services.
std::vector<LiveProcess> leftProcesses(const std::filesystem::path& folder);
// Whether one of them is a profiler that may still be writing a report.
bool hasReportWriter(const std::filesystem::path& folder);

// Sends a signal to the command's process group and to every live descendant of its shepherd, wherever it
// moved itself. SIGTERM spares nsys' own workers: they end by themselves once the report is written.
void signalCommand(const std::filesystem::path& folder, int signal);

} // namespace lockstep::agent
