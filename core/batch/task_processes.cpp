// SPDX-License-Identifier: Apache-2.0
#include "core/batch/task_processes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep {

namespace {

constexpr int kLook_ms = 20;
constexpr int kGrace_ms = 5'000;      // delay between SIGTERM and SIGKILL
constexpr int kNotStarted = 127;      // same value as in shells
constexpr int kInterruptedTask = 130; // same value as in shells

TaskEnd endOf(size_t task, int status)
{
    if (WIFSIGNALED(status)) return {task, "ended by signal " + std::to_string(WTERMSIG(status)), true};
    const int code = WEXITSTATUS(status);
    if (code == 0) return {task, {}, false};
    if (code == kTaskDiskFull) return {task, "disk full", false, true};
    if (code == kNotStarted) return {task, "could not be started", true};
    return {task, "exit status " + std::to_string(code), code == kInterruptedTask};
}

// Runs the program in the child after a fork. Must not allocate memory, because other threads may have held
// locks at the time of the fork. Called with signals blocked, because the parent's handlers would write to
// the parent's pipe.
[[noreturn]] void becomeProgram(const std::vector<char*>& words, int output, pid_t parent,
                                const sigset_t& unblocked)
{
    for (const int signal : {SIGINT, SIGTERM})
        ::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &unblocked, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNotStarted); // the parent process ended before prctl took effect
    const int input = ::open("/dev/null", O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(kNotStarted);
}

// Starts a program. The caller keeps ownership of `output`. Errors: io.
Result<pid_t> startProgram(const std::vector<std::string>& words, int output)
{
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = ::fork();
    if (child == 0) becomeProgram(pointers, output, parent, before);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) return makeError(ErrorKind::io, words[0] + ": cannot be started: " + std::strerror(errno));
    return child;
}

// Child owns a running process; its destructor kills and reaps it.
class Child {
  public:
    explicit Child(pid_t process) : m_process(process) {}
    Child(Child&& other) noexcept : m_process(std::exchange(other.m_process, -1)) {}
    Child& operator=(Child&& other) noexcept
    {
        std::swap(m_process, other.m_process);
        return *this;
    }
    ~Child()
    {
        if (m_process <= 0) return;
        signal(SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }

    void signal(int number) const { ::kill(m_process, number); }
    // Returns true once, with the exit status, when the process has ended.
    bool hasEnded(int& status)
    {
        if (::waitpid(m_process, &status, WNOHANG) != m_process) return false;
        m_process = -1;
        return true;
    }

  private:
    pid_t m_process;
};

struct RunningTask {
    size_t task;
    Child child;
};

Result<RunningTask> startTask(const TaskProcess& task)
{
    const int log = ::open(task.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // If the disk is full, there is no log, but the exit status still shows the outcome.
    const int stream = log >= 0 ? log : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    auto child = startProgram(task.words, stream);
    ::close(stream);
    if (!child) return tl::make_unexpected(child.error());
    return RunningTask{task.task, Child(*child)};
}

void endAll(std::vector<RunningTask>& running)
{
    for (const RunningTask& task : running)
        task.child.signal(SIGTERM);
    for (int waited_ms = 0; !running.empty() && waited_ms < kGrace_ms; waited_ms += kLook_ms) {
        int ignored = 0;
        std::erase_if(running, [&](RunningTask& task) { return task.child.hasEnded(ignored); });
        std::this_thread::sleep_for(std::chrono::milliseconds(kLook_ms));
    }
    running.clear();
}

} // namespace

Result<std::vector<TaskEnd>> runProcesses(std::span<const TaskProcess> tasks, size_t atATime,
                                          const std::stop_token& stop,
                                          const std::function<void(const TaskEnd& end)>& told)
{
    std::vector<TaskEnd> ends;
    std::vector<RunningTask> running;
    size_t next = 0;
    while (next < tasks.size() || !running.empty()) {
        while (next < tasks.size() && running.size() < std::max<size_t>(atATime, 1))
            running.push_back(LOCKSTEP_TRY(startTask(tasks[next++])));
        if (!pause(stop, kLook_ms)) {
            endAll(running);
            return makeError(ErrorKind::canceled, "canceled");
        }
        std::erase_if(running, [&](RunningTask& task) {
            int status = 0;
            if (!task.child.hasEnded(status)) return false;
            ends.push_back(endOf(task.task, status));
            told(ends.back());
            return true;
        });
    }
    return ends;
}

bool pause(const std::stop_token& stop, int time_ms)
{
    for (int left_ms = time_ms; left_ms > 0 && !stop.stop_requested(); left_ms -= kLook_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left_ms, kLook_ms)));
    return !stop.stop_requested();
}

} // namespace lockstep
