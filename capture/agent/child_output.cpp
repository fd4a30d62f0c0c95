// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/child_output.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"

namespace lockstep::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMax_bytes = size_t(4) << 20;

int start(const std::vector<std::string>& argv, const std::vector<std::string>& environment, int out, int err)
{
    std::vector<char*> words, variables;
    for (const std::string& word : argv)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    // getenv() finds the first of several entries with the same name.
    for (const std::string& pair : environment)
        variables.push_back(const_cast<char*>(pair.c_str()));
    for (char** pair = environ; *pair != nullptr; ++pair)
        variables.push_back(*pair);
    variables.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? pid : -1;
}

// Reads once from a pipe that has data or was closed. Returns false at the end of the pipe.
bool readSome(int fd, std::string& text)
{
    std::array<char, 16384> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    if (text.size() < kMax_bytes) text.append(buffer.data(), static_cast<size_t>(got));
    return true;
}

// Reads both pipes to their ends. Returns false on timeout.
bool readBoth(int out, int err, Clock::time_point giveUp, ChildOutput& result)
{
    std::array<pollfd, 2> polled{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(giveUp - Clock::now());
        if (left.count() <= 0) return false;
        if (::poll(polled.data(), polled.size(), static_cast<int>(left.count())) <= 0) continue;
        if (polled[0].revents != 0 && !readSome(out, result.out)) polled[0].fd = -1;
        if (polled[1].revents != 0 && !readSome(err, result.err)) polled[1].fd = -1;
    }
    return true;
}

} // namespace

ChildOutput childOutput(const std::vector<std::string>& argv, double timeout_s,
                        const std::vector<std::string>& environment)
{
    ChildOutput result;
    std::array<int, 2> out{}, err{};
    if (argv.empty() || ::pipe2(out.data(), O_CLOEXEC) != 0) return result;
    if (::pipe2(err.data(), O_CLOEXEC) != 0) {
        ::close(out[0]);
        ::close(out[1]);
        return result;
    }
    const auto giveUp = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
    const int pid = start(argv, environment, out[1], err[1]);
    ::close(out[1]);
    ::close(err[1]);
    result.isStarted = pid > 0;
    result.isInTime = pid > 0 && readBoth(out[0], err[0], giveUp, result);
    ::close(out[0]);
    ::close(err[0]);
    if (pid <= 0) return result;
    if (!result.isInTime) ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!result.isInTime) return result;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

std::string ChildOutput::failureText(const std::string& program) const
{
    if (!isStarted) return program + " is not installed or not on PATH";
    if (!isInTime) return program + " did not respond in time";
    const std::string& text = err.empty() ? out : err;
    const size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string::npos) return program + " ended with exit status " + std::to_string(status);
    return printable(std::string_view(text).substr(begin, text.find('\n', begin) - begin));
}

std::optional<std::string> toolOutput(const std::vector<std::string>& argv, double timeout_s)
{
    ChildOutput result = childOutput(argv, timeout_s);
    if (!result.isGood()) return std::nullopt;
    return std::move(result.out) + result.err;
}

} // namespace lockstep::agent
