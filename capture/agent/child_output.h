// SPDX-License-Identifier: Apache-2.0
// ChildOutput is what a program on this node printed and how it ended: for questions to nsys, Slurm, Python
// and the like.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

struct ChildOutput {
    bool isStarted = false; // false: not found, or no process could be made
    bool isInTime = false;  // false: it took too long and was killed
    int status = -1; // exit status; 128 + the signal that ended it; -1 where it was killed or not started
    std::string out, err; // the first 4 MiB of each

    bool isGood() const { return isInTime && status == 0; }
    // What it printed as an error, or why there is nothing: "squeue is not installed", "squeue took longer
    // than 30 s". program: its name.
    std::string failureText(const std::string& program) const;
};

// Runs argv (looked up in PATH, no shell) without input, in a process group of its own. environment:
// "NAME=VALUE" besides this process's. Blocks for timeout_s at most.
ChildOutput childOutput(const std::vector<std::string>& argv, double timeout_s,
                        const std::vector<std::string>& environment = {});

// Standard output, then standard error of argv; nullopt when it cannot be started, fails, or takes too long.
std::optional<std::string> toolOutput(const std::vector<std::string>& argv, double timeout_s = 10);

} // namespace lockstep::agent
