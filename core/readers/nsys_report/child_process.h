// SPDX-License-Identifier: Apache-2.0
// ChildProcess: one run of another program to its end, in a process group of its own, without a shell. Used
// to call nsys; any worker thread.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

struct ChildExit {
    int status = 0;     // exit status, or 128 + the signal that ended it
    std::string output; // standard output and error as they came, the last 64 KiB
};

// Runs program with arguments (argv[1] on), no input, this process's environment. Blocks until it ends. A
// stop ends its whole process group: asked at first, killed after two seconds. io when it cannot be started;
// canceled.
Result<ChildExit> runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::stop_token& stop);

} // namespace lockstep
