// SPDX-License-Identifier: Apache-2.0
// The tasks of a batch as processes of this machine, so many at a time. Words are passed as they are, by no
// shell. Made by the batch command. Blocking; one thread, which must outlive the processes.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// A task's process: its words, and the file that takes what it says, appended to.
struct TaskProcess {
    size_t task = 0;
    std::vector<std::string> words;
    std::filesystem::path log;
};
// The exit status of a task that found no room on the batch's disk.
inline constexpr int kTaskDiskFull = 28; // ENOSPC

// How a task ended.
struct TaskEnd {
    size_t task = 0;
    std::string outcome; // in words: "exit status 1", "ended by signal 9"; empty = exit status 0
    bool wasCut = false; // ended from outside: failures that it recorded may come from that
    bool isDiskFull = false;
    bool isNodeFailure = false; // Slurm reported that the node failed
    std::string host = {};      // empty = not known
};
// Runs them in parallel, so many at a time, in their order; told(end) at each end. A child dies with this
// process, whatever ends it. canceled: all of them were ended.
Result<std::vector<TaskEnd>> runProcesses(std::span<const TaskProcess> tasks, size_t atATime,
                                          const std::stop_token& stop,
                                          const std::function<void(const TaskEnd& end)>& told);

// For waits that have nothing to wait on: false once the stop is requested.
bool pause(const std::stop_token& stop, int time_ms);

} // namespace lockstep
