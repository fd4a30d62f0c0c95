// The shepherd: one small process a command, between the training program and everything that may die. It starts the
// program in a session of its own, drains its output into log files (a full disk drops output, never blocks the
// program), reaps what the program leaves behind, and writes exit.json at the end. Nobody waits for it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::agent {

// One command of a plan.
struct Command {
    std::string name;                                // for people, e.g. "train"
    std::vector<std::string> argv;                   // argv[0] is looked up in PATH
    std::filesystem::path workingFolder;             // empty: the agent's
    std::map<std::string, std::string> environment;  // added to the agent's own
};

// How a command ended.
struct CommandExit {
    int code = -1;              // exit status; -1 when a signal ended it or it never started
    int signal = 0;             // 0 = none
    std::string reason;         // why it never started; empty otherwise
    uint64_t droppedBytes = 0;  // output that a full disk refused
};

// Forks a shepherd for the command and returns once it runs. The shepherd outlives the caller. folder receives
// stdout.log, stderr.log, shepherd.pid, child.pid and, at the end, exit.json. io when it cannot be started.
Result<bool> startShepherd(const Command& command, const std::filesystem::path& folder);

// What exit.json says; notFound while the command runs.
Result<CommandExit> readExit(const std::filesystem::path& folder);

// Sends a signal to the command's process group and to every live descendant of its shepherd, wherever it moved itself.
void signalCommand(const std::filesystem::path& folder, int signal);

} // namespace lockstep::agent
