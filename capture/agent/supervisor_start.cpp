#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/supervisor.h"

namespace lockstep::agent {

namespace {

using nlohmann::json;

void recall(Supervisor::Past& past, const json& event)
{
    const std::string kind = event.value("kind", std::string());
    const size_t command = event.value("command", size_t(0));
    if (kind == "started" && !event.contains("command")) past.hasStarted = true;
    if (kind == "stdout" || kind == "stderr") past.logOffsets[{command, kind == "stderr"}] = event.value("to", uint64_t(0));
    if (kind == "report" && event.value("complete", false)) {
        past.completeReports[event.value("path", std::string())] = event.value("size_bytes", uint64_t(0));
    }
    if (kind == "exit" && event.value("run", false)) {
        past.hasEnded = true;
    } else if (kind == "exit" && command < 10'000) {
        if (past.exitTold.size() <= command) past.exitTold.resize(command + 1);
        past.exitTold[command] = true;
    }
}

// In the new process: everything of the caller's that could tie it down is let go.
[[noreturn]] void becomeSupervisor(const RunFolder& folder, int readyPipe)
{
    ::setsid();
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    const int none = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(none, fd);
    // The lock decides when two start at once; it is let go by the kernel whatever happens to this process.
    const int lock = ::open((folder.path() / "supervisor.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) ::_exit(0);
    const auto text = readTextFile(folder.planFile());
    auto plan = text ? parseNodePlan(*text) : Result<NodePlan>(tl::make_unexpected(text.error()));
    auto log = EventLog::open(folder.eventsFile());
    if (!RunFolder::writeMark(folder.supervisorFile(), ::getpid())) {} // a reader sees "not watched"; the run goes on
    ::close(readyPipe);
    if (!log) ::_exit(1);
    if (!plan) {
        log->add("error", {{"failure", "plan"}, {"text", plan.error().message}});
        log->add("exit", {{"run", true}, {"code", 1}});
        ::_exit(1);
    }
    Supervisor supervisor(folder, std::move(*plan), std::move(*log), readPast(folder));
    ::_exit(supervisor.run() == 0 ? 0 : 1);
}

} // namespace

Supervisor::Past readPast(const RunFolder& folder)
{
    Supervisor::Past past;
    std::ifstream file(folder.eventsFile());
    std::string line;
    while (std::getline(file, line)) {
        const json event = json::parse(line, nullptr, false);
        if (event.is_object()) recall(past, event);
    }
    return past;
}

Result<bool> startSupervisor(const RunFolder& folder)
{
    if (folder.supervisor()) return true;
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) return makeError(ErrorKind::io, "cannot make a pipe");
    const int middle = ::fork();
    if (middle == 0) {
        if (::fork() == 0) becomeSupervisor(folder, ready[1]);
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
    return true;
}

} // namespace lockstep::agent
