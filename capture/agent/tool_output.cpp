// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/tool_output.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr size_t kMost = 1 << 20;

int start(const std::vector<std::string>& words, int out)
{
    std::vector<char*> argv;
    for (const std::string& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? pid : -1;
}

} // namespace

std::optional<std::string> toolOutput(const std::vector<std::string>& argv, double timeout_s)
{
    std::array<int, 2> pipe{};
    if (argv.empty() || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
    const int pid = start(argv, pipe[1]);
    ::close(pipe[1]);
    std::string text;
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    bool inTime = pid > 0;
    while (inTime) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(giveUp - std::chrono::steady_clock::now());
        pollfd polled{pipe[0], POLLIN, 0};
        if (left.count() <= 0 || ::poll(&polled, 1, static_cast<int>(left.count())) == 0) inTime = false;
        std::array<char, 16384> buffer;
        const ssize_t got = inTime ? ::read(pipe[0], buffer.data(), buffer.size()) : 0;
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (text.size() < kMost) text.append(buffer.data(), static_cast<size_t>(got));
    }
    ::close(pipe[0]);
    if (pid <= 0) return std::nullopt;
    if (!inTime) ::kill(-pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return inTime && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text) : std::nullopt;
}

} // namespace lockstep::agent
