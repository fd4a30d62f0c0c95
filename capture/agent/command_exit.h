// SPDX-License-Identifier: Apache-2.0
// CommandExit: how one command ended, as its shepherd writes it into exit.json and people read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep::agent {

struct CommandExit {
    int code = -1;             // exit status; -1 when a signal ended it or it never started
    int signal = 0;            // 0 = none
    std::string reason;        // why it never started; empty otherwise
    uint64_t droppedBytes = 0; // output that a full disk refused
    int64_t oomKills = 0;      // processes that the kernel killed for want of memory while the command ran

    bool isGood() const { return code == 0; }
    // What a shell would give as $?: 128 + signal for a killed command, 1 for one that never started.
    int shellStatus() const;
};

// Atomically; io when the disk refuses.
Status writeExit(const std::filesystem::path& folder, const CommandExit& exit);
// What exit.json of a command's folder says; notFound while the command runs.
Result<CommandExit> readExit(const std::filesystem::path& folder);

// One sentence for people, empty for a good end: "killed by SIGKILL (signal 9): the kernel ended it for want
// of memory".
std::string exitText(const CommandExit& exit);

// Processes that the kernel has killed for want of memory so far: of this process's cgroup (memory.events
// oom_kill) where there is one, else of the host (oom_kill of /proc/vmstat); 0 where neither can be read.
int64_t oomKillCount(const std::filesystem::path& proc = "/proc",
                     const std::filesystem::path& cgroups = "/sys/fs/cgroup");

} // namespace lockstep::agent
