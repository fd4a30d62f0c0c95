// SPDX-License-Identifier: Apache-2.0
// CommandExit describes how one command ended. Its command monitor writes it to exit.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep::agent {

struct CommandExit {
    int code = -1;             // exit status; -1 if a signal killed the command or it never started
    int signal = 0;            // 0 = none
    std::string reason;        // why it never started; empty otherwise
    uint64_t droppedBytes = 0; // bytes of output lost because the disk was full
    // Number of processes that the Linux kernel killed for lack of memory while the command ran.
    int64_t oomKills = 0;

    bool isSuccess() const { return code == 0; }
    // Returns the status that a shell would give as $?: 128 + signal for a killed command, 1 for one that
    // never started.
    int shellStatus() const;
};

// Writes exit.json atomically. Returns io if the file cannot be written.
Status writeExit(const std::filesystem::path& folder, const CommandExit& exit);
// Reads exit.json from the folder of a command. Returns notFound while the command runs.
Result<CommandExit> readExit(const std::filesystem::path& folder);

// Returns one readable sentence, or "" if the command succeeded. Example: "killed by SIGKILL (signal 9): the
// kernel killed it because memory ran out".
std::string exitText(const CommandExit& exit);

// Returns how many processes the Linux kernel has killed so far for lack of memory. Counts those in the
// cgroup of this process (oom_kill in memory.events) if there is one, otherwise those on the host (oom_kill
// in /proc/vmstat). Returns 0 if neither file can be read.
int64_t oomKillCount(const std::filesystem::path& proc = "/proc",
                     const std::filesystem::path& cgroups = "/sys/fs/cgroup");

} // namespace lockstep::agent
