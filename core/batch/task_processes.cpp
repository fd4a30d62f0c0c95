// SPDX-License-Identifier: Apache-2.0
#include "core/batch/task_processes.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child_process.h"

namespace lockstep {

namespace {

constexpr int kPoll_ms = 20;
constexpr int kGrace_ms = 5'000; // delay between SIGTERM and SIGKILL
constexpr int kNotStarted = 127; // same value as in shells
constexpr const char* kNotStartedText = "could not be started";
constexpr int kInterruptedTask = 130; // same value as in shells

TaskEnd endOf(size_t task, int status)
{
    if (WIFSIGNALED(status)) return {task, "ended by signal " + std::to_string(WTERMSIG(status)), true};
    const int code = WEXITSTATUS(status);
    if (code == 0) return {task, {}, false};
    if (code == kTaskDiskFull) return {task, "disk full", false, true};
    if (code == kNotStarted) return {task, kNotStartedText, true};
    return {task, "exit status " + std::to_string(code), code == kInterruptedTask};
}

struct RunningTask {
    size_t task;
    ChildProcess child;
};

// Starts a task. Returns its end if the program cannot be started. Errors: io.
Result<std::variant<RunningTask, TaskEnd>> startTask(const TaskProcess& task)
{
    const int log = ::open(task.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // If the disk is full, there is no log, but the exit status still shows the outcome.
    const int stream = log >= 0 ? log : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    auto child = ChildProcess::start({.argv = task.words,
                                      .input = ChildOptions::kNull,
                                      .output = stream,
                                      .error = stream,
                                      .endsWithThread = true,
                                      .defaultSignals = {SIGINT, SIGTERM}});
    ::close(stream);
    if (child) return RunningTask{task.task, *std::move(child)};
    if (child.error().kind != ErrorKind::io) return TaskEnd{task.task, kNotStartedText, true};
    return makeError(ErrorKind::io, task.words[0] + ": " + child.error().message);
}

void endAll(std::vector<RunningTask>& running)
{
    for (const RunningTask& task : running)
        task.child.signal(SIGTERM);
    for (int waited_ms = 0; !running.empty() && waited_ms < kGrace_ms; waited_ms += kPoll_ms) {
        std::erase_if(running, [](RunningTask& task) { return task.child.poll().has_value(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(kPoll_ms));
    }
    running.clear();
}

} // namespace

Result<std::vector<TaskEnd>> runProcesses(std::span<const TaskProcess> tasks, size_t atATime,
                                          const std::stop_token& stop,
                                          const std::function<void(const TaskEnd& end)>& onEnd)
{
    std::vector<TaskEnd> ends;
    std::vector<RunningTask> running;
    const auto finish = [&](TaskEnd end) {
        ends.push_back(std::move(end));
        onEnd(ends.back());
    };
    size_t next = 0;
    while (next < tasks.size() || !running.empty()) {
        while (next < tasks.size() && running.size() < std::max<size_t>(atATime, 1)) {
            auto started = LOCKSTEP_TRY(startTask(tasks[next++]));
            if (auto* const task = std::get_if<RunningTask>(&started)) {
                running.push_back(std::move(*task));
            } else {
                finish(std::get<TaskEnd>(std::move(started)));
            }
        }
        if (!pause(stop, kPoll_ms)) {
            endAll(running);
            return makeError(ErrorKind::canceled, "canceled");
        }
        std::erase_if(running, [&](RunningTask& task) {
            const auto status = task.child.poll();
            if (status) finish(endOf(task.task, *status));
            return status.has_value();
        });
    }
    return ends;
}

bool pause(const std::stop_token& stop, int time_ms)
{
    for (int left_ms = time_ms; left_ms > 0 && !stop.stop_requested(); left_ms -= kPoll_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left_ms, kPoll_ms)));
    return !stop.stop_requested();
}

} // namespace lockstep
