// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/agent_log.h"
#include "capture/agent/supervisor.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

// Releases all resources of the caller that could keep the new process attached to it.
void detach(int kept)
{
    ::setsid();
    for (const int signal : {SIGHUP, SIGPIPE, SIGXFSZ, SIGINT, SIGTERM})
        ::signal(signal, SIG_IGN);
    const int none = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(none, fd);
    ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(kept) - 1, 0);
    ::close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

// The lock arbitrates if two supervisors start at once. The Linux kernel releases it however this process
// exits. On file systems without locking, supervisor.pid is used instead.
void claim(const RunFolder& folder)
{
    const int lock = ::open((folder.path() / "supervisor.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ::_exit(0);
}

void enterStartFolder(const RunFolder& folder)
{
    const auto start = readTextFile(folder.startFolderFile());
    if (start && ::chdir(start->c_str()) != 0) {
    } // the first command that needs the secret reports that it is missing
}

// An exception from a library ends the supervision, but is logged. The next client that attaches starts
// another supervisor.
int watch(const RunFolder& folder, NodePlan plan, const Secrets& secrets, EventLog log)
{
    try {
        Supervisor supervisor(folder, std::move(plan), secrets, std::move(log), readPast(folder));
        return supervisor.run();
    } catch (const std::exception& failure) {
        agentLog().note(LogLevel::error, "supervisor", std::string("ended by ") + failure.what());
        return writeAgentLog(folder, secrets) ? 1 : 2;
    }
}

[[noreturn]] void becomeSupervisor(const RunFolder& folder, const Secrets& secrets, int readyPipe)
{
    detach(readyPipe);
    claim(folder);
    const auto text = readTextFile(folder.planFile());
    auto plan = text ? nodePlanFromJson(*text) : Result<NodePlan>(tl::make_unexpected(text.error()));
    auto log = EventLog::open(folder.eventsFile());
    if (!RunFolder::writePidFile(folder.supervisorFile(), ::getpid())) {
    } // a reader sees "not watched", and the run continues
    ::close(readyPipe);
    if (!log) ::_exit(1);
    if (!plan) {
        log->add("error", {{"failure", "plan"}, {"text", plan.error().message}});
        log->add("exit", {{"run", true}, {"code", 1}, {"stopped", false}});
        ::_exit(1);
    }
    enterStartFolder(folder);
    placeCaptures(*plan);
    nameCaptureLog(*plan, folder.captureLogFile());
    resolveAgentCommands(*plan, folder.path());
    ::_exit(watch(folder, std::move(*plan), secrets, std::move(*log)) == 0 ? 0 : 1);
}

} // namespace

Status startSupervisor(const RunFolder& folder, const Secrets& secrets)
{
    if (folder.supervisor()) return {};
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) return makeError(ErrorKind::io, "cannot make a pipe");
    const int middle = ::fork();
    if (middle == 0) {
        if (::fork() == 0) becomeSupervisor(folder, secrets, ready[1]);
        ::_exit(0);
    }
    ::close(ready[1]);
    char byte = 0;
    const ssize_t got = ::read(ready[0], &byte, 1);
    ::close(ready[0]);
    if (middle > 0) ::waitpid(middle, nullptr, 0);
    if (middle < 0 || got < 0) {
        return makeError(ErrorKind::io, "cannot start a process: " + std::string(std::strerror(errno)));
    }
    return {};
}

} // namespace lockstep::agent
