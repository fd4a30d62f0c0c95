// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of a batch as processes on this machine, with a limited number at the same time. Arguments
// are passed directly, without a shell. Used by the batch command. Blocking; one thread, which must outlive
// the processes.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Command of a task, and the log file to which its output is appended.
struct TaskProcess {
    size_t task = 0;
    std::vector<std::string> words;
    std::filesystem::path log;
};
// Exit status of a task for which the batch's disk was full.
inline constexpr int kTaskDiskFull = 28; // ENOSPC

// How a task ended.
struct TaskEnd {
    size_t task = 0;
    std::string outcome; // message: "exit status 1", "ended by signal 9"; empty = exit status 0
    bool wasCut = false; // terminated externally, which may have caused the failures that it recorded
    bool isDiskFull = false;
    bool isNodeFailure = false; // Slurm reported that the node failed
    std::string host = {};      // empty = unknown
};
// Runs the tasks in order, up to `atATime` at the same time, and calls onEnd(end) for each task that ends. A
// child is killed when this process ends for any reason. Returns canceled after all children were terminated.
Result<std::vector<TaskEnd>> runProcesses(std::span<const TaskProcess> tasks, size_t atATime,
                                          const std::stop_token& stop,
                                          const std::function<void(const TaskEnd& end)>& onEnd);

// Sleeps for time_ms. Returns false as soon as a stop is requested.
bool pause(const std::stop_token& stop, int time_ms);

} // namespace lockstep
