// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/child_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptOutput = 64 * 1024;
constexpr auto kPatience = std::chrono::seconds(2);
// polling interval for the exit of the program while a grandchild keeps the output open
constexpr int kPoll_ms = 50;

// Both ends of a pipe, closed when the object ends.
struct Pipe {
    std::array<int, 2> ends = {-1, -1};

    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    bool open() { return ::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0; }
    void closeEnd(size_t end)
    {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
};

Result<pid_t> spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                    int output)
{
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        return makeError(ErrorKind::io, program.string() + ": cannot start: " + std::strerror(error));
    }
    return pid;
}

void drain(int end, std::string& output)
{
    std::array<char, 4096> buffer = {};
    for (ssize_t size = 0; (size = ::read(end, buffer.data(), buffer.size())) > 0;) {
        output.append(buffer.data(), static_cast<size_t>(size));
        if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
    }
}

int exitStatus(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

Result<ChildExit> runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::stop_token& stop)
{
    Pipe output, wake;
    if (!output.open() || !wake.open()) {
        return makeError(ErrorKind::io, std::string("cannot create a pipe: ") + std::strerror(errno));
    }
    const pid_t pid = LOCKSTEP_TRY(spawn(program, arguments, output.ends[1]));
    output.closeEnd(1);
    const std::stop_callback wakeUp(stop,
                                    [&] { [[maybe_unused]] const auto sent = ::write(wake.ends[1], "", 1); });
    ChildExit out;
    std::optional<Clock::time_point> asked;
    for (int status = 0;;) {
        // Once the wake-up byte has been handled, it is not polled again, because only output and time matter
        // from then on.
        std::array<pollfd, 2> ends{{{output.ends[0], POLLIN, 0}, {wake.ends[0], POLLIN, 0}}};
        ::poll(ends.data(), asked ? 1 : 2, kPoll_ms);
        drain(output.ends[0], out.output);
        const pid_t ended = ::waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            out.status = ended == pid ? exitStatus(status) : 0;
            break;
        }
        if (stop.stop_requested() && !asked) {
            ::kill(-pid, SIGTERM);
            asked = Clock::now();
        } else if (asked && Clock::now() - *asked > kPatience) {
            ::kill(-pid, SIGKILL);
        }
        if ((ends[0].revents & POLLHUP) != 0) {
            // The output is closed, so the program is about to exit, and poll() on the output would no longer
            // block.
            ::poll(nullptr, 0, 1);
        }
    }
    drain(output.ends[0], out.output);
    if (asked) {
        ::kill(-pid, SIGKILL); // kills processes that the program left in its group
        return makeError(ErrorKind::canceled, "canceled");
    }
    if (out.output.size() > kKeptOutput) out.output.erase(0, out.output.size() - kKeptOutput);
    return out;
}

} // namespace lockstep
