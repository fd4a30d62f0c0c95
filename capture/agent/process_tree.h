// SPDX-License-Identifier: Apache-2.0
// Finds the processes that a command left on this node by reading /proc. Finds them even if they changed
// their process group or session. Any thread.
#pragma once

#include <string>
#include <vector>

namespace lockstep::agent {

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

} // namespace lockstep::agent
