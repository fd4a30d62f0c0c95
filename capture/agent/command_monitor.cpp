// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/command_monitor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/command_exit.h"
#include "capture/agent/log_drain.h"
#include "capture/agent/run_folder.h"
#include "core/base/child_process.h"
#include "core/base/whole_file.h"
#include "core/session/secrets.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Returns the arguments of the command with references to secrets replaced by their values.
std::vector<std::string> argumentsWithSecrets(const Command& command)
{
    std::vector<std::string> words = command.argv;
    for (const auto& [name, value] : command.environment) {
        if (!name.starts_with(kArgumentSecret)) continue;
        const std::string reference = "${" + name + "}";
        for (size_t i = 0; i < words.size(); ++i) {
            std::string& word = words[i];
            // Arguments of a batch script are written to a file, where the shell of the job replaces them.
            if (i > 0 && words[i - 1] == "--argument") continue;
            for (size_t at = 0; (at = word.find(reference, at)) != word.npos; at += value.size())
                word.replace(at, reference.size(), value);
        }
    }
    return words;
}

// Returns the values that the output of the command must not show: the given secrets, and secrets inherited
// from this host.
TextPairs hiddenValues(const Command& command)
{
    constexpr size_t kMinInherited_bytes = 8;
    TextPairs hidden;
    for (const auto& [name, value] : command.environment) {
        const bool isGiven = std::ranges::find(command.secrets, name) != command.secrets.end();
        if (isGiven || isSecretVariable(name)) hidden.emplace_back(name, value);
        for (const SecretSpan& piece : findSecrets(value)) // such as the password of a proxy
            hidden.emplace_back(name, value.substr(piece.begin, piece.size_bytes));
    }
    for (char** pair = environ; *pair != nullptr; ++pair) {
        const std::string_view text = *pair;
        const size_t equals = std::min(text.find('='), text.size());
        const std::string_view value = text.substr(std::min(equals + 1, text.size()));
        if (isSecretVariable(text.substr(0, equals)) && value.size() >= kMinInherited_bytes &&
            secret_rule::hasDigit(value))
            hidden.emplace_back(text.substr(0, equals), value);
    }
    return hidden;
}

// Starts the program in a session of its own, with the signal handling of a login shell instead of that of
// this process, and with the mask for new files that this program was started with.
Result<ChildProcess> startProgram(const Command& command, int out, int err)
{
    ChildOptions options{.argv = argumentsWithSecrets(command), .workingFolder = command.workingFolder};
    for (const auto& [name, value] : command.environment)
        options.environment.push_back(name + "=" + value);
    options.input = ChildOptions::kNull;
    options.output = out;
    options.error = err;
    options.group = ChildGroup::session;
    options.defaultSignals.resize(NSIG - 1);
    std::iota(options.defaultSignals.begin(), options.defaultSignals.end(), 1);
    options.clearsSignalMask = true;
    restoreFileMask();
    auto child = ChildProcess::start(options);
    keepFilesPrivate();
    return child;
}

// Reads to the end of the pipe, which the monitor closes.
std::string readAll(int fd)
{
    std::string text;
    std::array<char, 512> buffer;
    while (true) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<size_t>(got));
    }
}

void setEnd(CommandExit& exit, int status)
{
    if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
}

// Copies output until the program has ended and everything that it printed is stored. Its descendants may
// continue to print.
int pumpUntilEnd(ChildProcess& child, LogDrain& out, LogDrain& err)
{
    std::optional<int> status;
    while (!(status = child.poll())) {
        std::array<pollfd, 2> polled{{{out.pipe(), POLLIN, 0}, {err.pipe(), POLLIN, 0}}};
        ::poll(polled.data(), polled.size(),
               100); // 100 ms, so that the end of a program is noticed even if it closed its output
        out.pump();
        err.pump();
    }
    out.pump();
    err.pump();
    out.flush();
    err.flush();
    return *status;
}

// Reaps descendants and stores their output until the last descendant has ended.
void outliveDescendants(LogDrain& out, LogDrain& err)
{
    while (true) {
        int reaped = 0;
        while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (reaped < 0 && errno == ECHILD) break;
        std::array<pollfd, 2> polled{{{out.pipe(), POLLIN, 0}, {err.pipe(), POLLIN, 0}}};
        ::poll(polled.data(), polled.size(), 500);
        out.pump();
        err.pump();
    }
    out.pump();
    err.pump();
    out.flush();
    err.flush();
}

void reportAndExit(int pipe, const std::string& text)
{
    const ssize_t written = ::write(pipe, text.data(), text.size());
    ::_exit(written >= 0 ? 1 : 2);
}

// If two supervisors start the same command, the second monitor exits, and so does any later one.
void claim(const fs::path& folder, int startedPipe)
{
    const int lock = ::open((folder / "monitor.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ::_exit(0);
    std::error_code error;
    if (fs::exists(folder / "monitor.pid", error)) ::_exit(0);
    const auto marked = RunFolder::writePidFile(folder / "monitor.pid", ::getpid());
    if (!marked) reportAndExit(startedPipe, marked.error().message);
}

[[noreturn]] void monitor(const Command& command, const fs::path& folder, int startedPipe)
{
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int signal : {SIGHUP, SIGPIPE, SIGXFSZ, SIGTERM, SIGINT})
        ::signal(signal, SIG_IGN);
    // All of the caller's file descriptors are closed here, because otherwise its locks would stay held.
    const unsigned keptDescriptor = static_cast<unsigned>(startedPipe);
    ::close_range(STDERR_FILENO + 1, keptDescriptor - 1, 0);
    ::close_range(keptDescriptor + 1, ~0U, 0);
    claim(folder, startedPipe);
    std::array<int, 2> outPipe{}, errPipe{};
    if (::pipe2(outPipe.data(), O_CLOEXEC) != 0 || ::pipe2(errPipe.data(), O_CLOEXEC) != 0)
        reportAndExit(startedPipe, "cannot make a pipe: " + std::string(std::strerror(errno)));
    const int64_t killsBefore = oomKillCount();
    auto started = startProgram(command, outPipe[1], errPipe[1]);
    if (!started && started.error().kind == ErrorKind::io)
        reportAndExit(startedPipe, started.error().message);
    for (const int fd : {outPipe[1], errPipe[1], STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::close(fd);
    CommandExit exit;
    if (!started) exit.reason = started.error().message;
    if (!started) {
        std::ofstream(folder / "child.pid"); // an empty file shows that the command has ended, see Supervisor
    } else if (!RunFolder::writePidFile(folder / "child.pid", started->pid())) {
    } // The program has ended already, or there is no disk space. Its ancestry still identifies it.
    ::close(startedPipe);
    const TextPairs hidden = hiddenValues(command);
    LogDrain out(outPipe[0], folder / "stdout.log", hidden), err(errPipe[0], folder / "stderr.log", hidden);
    if (started) setEnd(exit, pumpUntilEnd(*started, out, err));
    exit.droppedBytes = out.droppedBytes() + err.droppedBytes();
    exit.oomKills = oomKillCount() - killsBefore;
    while (!writeExit(folder, exit))
        ::sleep(1); // The exit status must not be lost if the disk is full.
    outliveDescendants(out, err);
    ::_exit(0);
}

std::vector<LiveProcess> processesOf(const fs::path& folder)
{
    const auto mark = RunFolder::readPidFile(folder / "monitor.pid");
    return mark ? descendantsOf(mark->pid) : std::vector<LiveProcess>();
}

} // namespace

Status startCommandMonitor(const Command& command, const fs::path& folder)
{
    if (command.argv.empty()) return makeError(ErrorKind::invalid, "command " + command.name + " is empty");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return makeError(ErrorKind::io, folder.string() + ": cannot create: " + error.message());
    std::array<int, 2> started{};
    if (::pipe2(started.data(), O_CLOEXEC) != 0) return makeError(ErrorKind::io, "cannot make a pipe");
    const int middle = ::fork(); // Forks twice, so that the monitor is not a child of this process.
    if (middle == 0) {
        if (::fork() == 0) monitor(command, folder, started[1]);
        ::_exit(0);
    }
    ::close(started[1]);
    if (middle > 0) ::waitpid(middle, nullptr, 0);
    // Empty if the monitor closed its end, which means that it is running.
    const std::string failed = readAll(started[0]);
    ::close(started[0]);
    if (middle < 0)
        return makeError(ErrorKind::io, "cannot start a process: " + std::string(std::strerror(errno)));
    if (!failed.empty()) return makeError(ErrorKind::io, failed);
    return {};
}

void removeStartRecord(const fs::path& folder)
{
    std::error_code error;
    for (const char* name : {"child.pid", "monitor.pid"})
        fs::remove(folder / name, error);
}

bool hasLiveProcesses(const fs::path& folder)
{
    return RunFolder::readPidFile(folder / "child.pid") || !processesOf(folder).empty();
}

std::vector<LiveProcess> leftoverProcesses(const fs::path& folder)
{
    std::vector<LiveProcess> left = processesOf(folder);
    std::erase_if(left, [](const LiveProcess& one) { return one.isService || isReportWriter(one); });
    return left;
}

bool hasReportWriter(const fs::path& folder)
{
    return std::ranges::any_of(processesOf(folder), isReportWriter);
}

void signalCommand(const fs::path& folder, int signal)
{
    const auto child = RunFolder::readPidFile(folder / "child.pid");
    const int leader = child ? child->pid : 0;
    const std::vector<LiveProcess> processes = processesOf(folder);
    // Signals individual processes and not process groups, because the workers of nsys are in the program's
    // group.
    if (leader > 0) ::kill(processes.empty() || signal == SIGKILL ? -leader : leader, signal);
    for (const LiveProcess& process : processes) {
        const bool isExempt = signal == SIGTERM && isReportWriter(process);
        if (process.pid != leader && !isExempt) ::kill(process.pid, signal);
    }
}

namespace {

struct ProcessEntry {
    LiveProcess process;
    int parent = 0;
};

// Field 2 of /proc/PID/stat is in parentheses and may contain anything, including blanks and parentheses.
bool readEntry(const std::filesystem::path& folder, ProcessEntry& entry)
{
    const std::string text = wholeFileOrEmpty(folder / "stat");
    const size_t begin = text.find('('), end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
    entry.process.name = text.substr(begin + 1, end - begin - 1);
    std::istringstream fields(text.substr(end + 1));
    std::string state;
    return fields >> state >> entry.parent && state != "Z" && state != "X";
}

// Detects Ray's own processes. Those that run in Python are identified by their script.
bool isRayService(const LiveProcess& process, const std::filesystem::path& folder)
{
    if (process.name == "raylet" || process.name == "gcs_server" || process.name.starts_with("ray::"))
        return true;
    const std::string words = wholeFileOrEmpty(folder / "cmdline");
    return std::ranges::any_of(std::array{"/ray/dashboard/", "/ray/_private/", "/ray/autoscaler/"},
                               [&](const char* part) { return words.find(part) != std::string::npos; });
}

} // namespace

std::vector<LiveProcess> descendantsOf(int root)
{
    std::multimap<int, LiveProcess> byParent;
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end;
         at.increment(error)) {
        ProcessEntry entry;
        entry.process.pid = std::atoi(at->path().filename().c_str());
        if (entry.process.pid > 0 && readEntry(at->path(), entry))
            byParent.emplace(entry.parent, entry.process);
    }
    std::vector<LiveProcess> found;
    // Process ID, and whether the process is a service.
    std::vector<std::pair<int, bool>> parents{{root, false}};
    while (!parents.empty()) {
        const auto [parent, isService] = parents.back();
        const auto [begin, end] = byParent.equal_range(parent);
        parents.pop_back();
        for (auto child = begin; child != end; ++child) {
            LiveProcess process = child->second;
            const std::filesystem::path folder = "/proc/" + std::to_string(process.pid);
            process.isService = isService || isRayService(process, folder);
            parents.emplace_back(process.pid, process.isService);
            found.push_back(std::move(process));
        }
        byParent.erase(begin, end);
    }
    return found;
}

bool isReportWriter(const LiveProcess& process)
{
    return process.name.starts_with("QdstrmImporter") || process.name.starts_with("nsys");
}

} // namespace lockstep::agent
