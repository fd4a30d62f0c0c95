// SPDX-License-Identifier: Apache-2.0
// Which processes a command left on this node, wherever they moved themselves: asked of /proc, which other
// users' processes do not hide from. Any thread.
#pragma once

#include <string>
#include <vector>

namespace lockstep::agent {

struct LiveProcess {
    int pid = 0;
    std::string name;       // as the kernel cuts it: 15 bytes of the program's file name
    bool isService = false; // Ray's daemons and what they start: meant to outlive the command
};

// Every live descendant of a process, itself not among them. One pass over /proc. Processes whose parent died
// count as long as `root` is their subreaper.
std::vector<LiveProcess> descendantsOf(int root);

// The profiler's own workers, which turn a recording into a report after the program has ended.
bool isReportWriter(const LiveProcess& process);

} // namespace lockstep::agent
