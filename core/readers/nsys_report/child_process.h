// SPDX-License-Identifier: Apache-2.0
// ChildProcess: runs another program in its own process group until the program exits, without a shell. Used
// to call nsys; any worker thread.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

struct ChildExit {
    int status = 0;     // exit status, or 128 + the signal that killed the process
    std::string output; // last 64 KiB of standard output and standard error, as received
};

// Runs a program with arguments (argv[1] on), without input, and with the environment of this process. Blocks
// until the program exits. A stop request terminates the whole process group: SIGTERM first, SIGKILL after
// two seconds. Errors: io if the program cannot be started, canceled.
Result<ChildExit> runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::stop_token& stop);

} // namespace lockstep
