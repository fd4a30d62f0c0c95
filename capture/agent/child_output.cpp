// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/child_output.h"

#include <array>
#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/base/child_process.h"
#include "core/base/text.h"

namespace lockstep::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutput_bytes = size_t(4) << 20;

// Reads once from a pipe that has data or was closed. Returns false at the end of the pipe.
bool readSome(int fd, std::string& text)
{
    std::array<char, 16384> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    if (text.size() < kMaxOutput_bytes) text.append(buffer.data(), static_cast<size_t>(got));
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
    auto child = ChildProcess::start({.argv = argv,
                                      .environment = environment,
                                      .input = ChildOptions::kNull,
                                      .output = out[1],
                                      .error = err[1],
                                      .group = ChildGroup::own});
    ::close(out[1]);
    ::close(err[1]);
    result.isStarted = child.has_value();
    result.isInTime = child && readBoth(out[0], err[0], giveUp, result);
    ::close(out[0]);
    ::close(err[0]);
    // The destructor of `child` kills a program that is too late, with its group.
    if (result.isInTime) result.status = exitStatusOf(child->wait());
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
    if (!result.isSuccess()) return std::nullopt;
    return std::move(result.out) + result.err;
}

} // namespace lockstep::agent
