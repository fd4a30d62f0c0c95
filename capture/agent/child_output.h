// SPDX-License-Identifier: Apache-2.0
// ChildOutput holds what a program on this node printed and how it ended. Used for queries to nsys, Slurm,
// Python and similar programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

struct ChildOutput {
    bool isStarted = false; // false if the program was not found or no process could be created
    bool isInTime = false;  // false if it exceeded the timeout and was killed
    int status = -1;        // exit status, or 128 + signal; -1 if killed or not started
    std::string out, err;   // the first 4 MiB of each stream

    bool isSuccess() const { return isInTime && status == 0; }
    // Returns what the program printed as an error. If it printed nothing, returns why, for example "squeue
    // is not installed" or "squeue did not answer in time". program: its name.
    std::string failureText(const std::string& program) const;
};

// Runs argv (looked up in PATH, no shell) without input, in its own process group. environment: "NAME=VALUE"
// entries added to the environment of this process. Blocks for timeout_s at most.
ChildOutput childOutput(const std::vector<std::string>& argv, double timeout_s,
                        const std::vector<std::string>& environment = {});

// Returns the standard output of argv followed by its standard error. Returns nullopt if the program cannot
// be started, fails, or takes too long.
std::optional<std::string> toolOutput(const std::vector<std::string>& argv, double timeout_s = 10);

} // namespace lockstep::agent
