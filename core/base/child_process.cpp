// SPDX-License-Identifier: Apache-2.0
#include "core/base/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutput_bytes = 64 * 1024;
constexpr auto kTerminationTimeout = std::chrono::seconds(2);
// polling interval for the exit of the program while a grandchild keeps the output open
constexpr int kPoll_ms = 50;
constexpr auto kPollInterval = std::chrono::milliseconds(5);
constexpr int kNotStarted = 127; // same value as in shells

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
    bool open(int flags) { return ::pipe2(ends.data(), O_CLOEXEC | flags) == 0; }
    void closeEnd(size_t end)
    {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
};

std::string_view nameOf(std::string_view entry)
{
    return entry.substr(0, entry.find('='));
}

// Returns the environment of the child. A later entry of `own` replaces an earlier one with the same name.
std::vector<std::string> environmentWith(const std::vector<std::string>& own)
{
    std::vector<std::string> all;
    const auto isReplaced = [&](std::string_view entry, size_t from) {
        return std::any_of(own.begin() + static_cast<ptrdiff_t>(from), own.end(),
                           [&](const std::string& later) { return nameOf(later) == nameOf(entry); });
    };
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (!isReplaced(*entry, 0)) all.emplace_back(*entry);
    }
    for (size_t i = 0; i < own.size(); ++i) {
        if (!isReplaced(own[i], i + 1)) all.push_back(own[i]);
    }
    return all;
}

// Returns the paths at which a program may be, in the order of PATH.
std::vector<std::string> candidatePaths(const std::string& program,
                                        const std::vector<std::string>& environment)
{
    if (program.empty() || program.find('/') != program.npos) return {program};
    std::string_view path = "/bin:/usr/bin"; // as in glibc if there is no PATH
    for (const std::string& entry : environment) {
        if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
    }
    std::vector<std::string> places;
    for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find(':', at), path.size());
        const std::string_view folder = path.substr(at, end - at);
        places.push_back((folder.empty() ? std::string(".") : std::string(folder)) + "/" + program);
        at = end + 1;
    }
    return places;
}

std::vector<char*> pointersTo(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// What the child needs, allocated before it exists.
struct Image {
    const ChildOptions& options;
    std::vector<std::string> environment = environmentWith(options.environment);
    std::vector<std::string> places = candidatePaths(options.argv[0], environment);
    std::vector<char*> argv = pointersTo(options.argv);
    std::vector<char*> environmentPointers = pointersTo(environment);
    std::vector<char*> shellArgv = {}; // sh, a place for the script, arguments
    sigset_t mask = {};
    pid_t parent = ::getpid();
    int failurePipe = -1;

    explicit Image(const ChildOptions& all) : options(all)
    {
        static char shell[] = "sh";
        shellArgv = {shell, nullptr};
        shellArgv.insert(shellArgv.end(), argv.begin() + 1, argv.end());
    }
};

// Why a child did not become a program.
struct Failure {
    int error = 0;
    bool isFolder = false;
};

[[noreturn]] void fail(const Image& image, const Failure& failure)
{
    const ssize_t put = ::write(image.failurePipe, &failure, sizeof failure);
    ::_exit(put >= 0 ? kNotStarted : kNotStarted - 1);
}

// A handler of the parent must not run in the child, which shares its memory until execve().
void restoreHandlers(const ChildOptions& options)
{
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action = {};
        if (::sigaction(number, nullptr, &action) != 0) continue;
        if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
        ::signal(number, SIG_DFL);
    }
    for (const int number : options.defaultSignals)
        ::signal(number, SIG_DFL);
}

// Sources that are standard streams themselves are moved first, so that none is overwritten before it is
// used.
void connectStreams(const ChildOptions& options)
{
    std::array<int, 3> sources{options.input, options.output, options.error};
    for (int target = 0; target < 3; ++target) {
        int& source = sources[static_cast<size_t>(target)];
        if (source >= 0 && source < 3 && source != target) source = ::fcntl(source, F_DUPFD_CLOEXEC, 3);
    }
    for (int target = 0; target < 3; ++target) {
        int source = sources[static_cast<size_t>(target)];
        if (source == ChildOptions::kInherited) continue;
        if (source == ChildOptions::kNull)
            source = ::open("/dev/null", (target == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        if (source == target) {
            ::fcntl(target, F_SETFD, 0);
        } else {
            ::dup2(source, target);
        }
    }
}

// Tries the places as execvp() does: a place that does not exist is skipped, and a script without an
// interpreter is run by sh. Returns the error if no place can be executed.
int executeAny(const Image& image)
{
    int error = ENOENT;
    for (const std::string& place : image.places) {
        ::execve(place.c_str(), image.argv.data(), image.environmentPointers.data());
        if (errno == ENOEXEC) {
            auto* const shellArgv = const_cast<char**>(image.shellArgv.data());
            shellArgv[1] = const_cast<char*>(place.c_str());
            ::execve("/bin/sh", shellArgv, image.environmentPointers.data());
            return ENOEXEC;
        }
        if (errno == EACCES) {
            error = EACCES;
        } else if (errno != ENOENT && errno != ENOTDIR) {
            return errno;
        }
    }
    return error;
}

// Runs in the child with all signals blocked. Only calls functions that are safe in a signal handler, and
// changes no memory that the parent uses. Not inlined, so that it has a stack frame of its own.
[[noreturn, gnu::noinline]] void becomeProgram(const Image& image)
{
    const ChildOptions& options = image.options;
    restoreHandlers(options);
    ::sigprocmask(SIG_SETMASK, &image.mask, nullptr);
    if (options.group == ChildGroup::own) ::setpgid(0, 0);
    if (options.group == ChildGroup::session) ::setsid();
    if (options.endsWithThread) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != image.parent) ::_exit(kNotStarted); // the parent ended before prctl took effect
    }
    connectStreams(options);
    if (!options.workingFolder.empty() && ::chdir(options.workingFolder.c_str()) != 0)
        fail(image, {errno, true});
    fail(image, {executeAny(image), false});
}

// Unlike fork(), vfork() does not copy the page tables of this process, which may have many GB. The calling
// thread continues after execve(). This function has no local variable that the child could change.
pid_t startImage(const Image& image)
{
    const pid_t pid = ::vfork();
    if (pid == 0) becomeProgram(image);
    return pid;
}

// Returns what the child wrote before it ended, or nullopt if execve() closed the pipe.
std::optional<Failure> failureFrom(int pipe)
{
    Failure failure;
    ssize_t got = 0;
    while ((got = ::read(pipe, &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    return got == sizeof failure ? std::optional(failure) : std::nullopt;
}

tl::unexpected<Error> errorOf(const ChildOptions& options, const Failure& failure)
{
    const ErrorKind kind = failure.error == ENOENT ? ErrorKind::notFound : ErrorKind::invalid;
    const std::string reason = std::strerror(failure.error);
    if (failure.isFolder)
        return makeError(kind, options.workingFolder.string() + ": cannot use as working folder: " + reason);
    const bool isSearched = options.argv[0].find('/') == std::string::npos;
    return makeError(kind,
                     options.argv[0] + ": cannot start: " +
                         (failure.error == ENOENT && isSearched ? "not found in PATH on this host" : reason));
}

void drain(int end, std::string& output)
{
    std::array<char, 4096> buffer = {};
    for (ssize_t size = 0; (size = ::read(end, buffer.data(), buffer.size())) > 0;) {
        output.append(buffer.data(), static_cast<size_t>(size));
        if (output.size() > 2 * kMaxOutput_bytes) output.erase(0, output.size() - kMaxOutput_bytes);
    }
}

} // namespace

int exitStatusOf(int waitStatus)
{
    return WIFSIGNALED(waitStatus) ? 128 + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

Result<ChildProcess> ChildProcess::start(const ChildOptions& options)
{
    if (options.argv.empty()) return makeError(ErrorKind::invalid, "no program given");
    Pipe failures;
    if (!failures.open(0))
        return makeError(ErrorKind::io, std::string("cannot create a pipe: ") + std::strerror(errno));
    if (failures.ends[1] < 3) { // connectStreams() would overwrite it
        const int moved = ::fcntl(failures.ends[1], F_DUPFD_CLOEXEC, 3);
        failures.closeEnd(1);
        failures.ends[1] = moved;
    }
    Image image(options);
    image.failurePipe = failures.ends[1];
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    image.mask = before;
    if (options.clearsSignalMask) ::sigemptyset(&image.mask);
    ChildProcess child;
    child.m_pid = startImage(image);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child.m_pid < 0)
        return makeError(ErrorKind::io, std::string("cannot start a process: ") + std::strerror(error));
    child.m_isRunning = true;
    child.m_hasGroup = options.group != ChildGroup::ofParent;
    failures.closeEnd(1);
    if (const auto failure = failureFrom(failures.ends[0])) {
        child.wait();
        return errorOf(options, *failure);
    }
    return child;
}

ChildProcess::~ChildProcess()
{
    if (!m_isRunning) return;
    signal(SIGKILL);
    wait();
}

void ChildProcess::signal(int number) const
{
    if (m_hasGroup) {
        ::kill(-m_pid, number);
    } else if (m_isRunning) {
        ::kill(m_pid, number);
    }
}

std::optional<int> ChildProcess::poll()
{
    int status = 0;
    const pid_t ended = ::waitpid(m_pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
    m_isRunning = false; // if there is no such child, somebody else has reaped it
    return ended < 0 ? 0 : status;
}

int ChildProcess::wait()
{
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    m_isRunning = false;
    return status;
}

std::optional<int> ChildProcess::waitFor(std::chrono::milliseconds timeout)
{
    for (const auto giveUp = Clock::now() + timeout;;) {
        if (const auto status = poll()) return status;
        if (Clock::now() > giveUp) return std::nullopt;
        std::this_thread::sleep_for(kPollInterval);
    }
}

void ChildProcess::swap(ChildProcess& other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_isRunning, other.m_isRunning);
    std::swap(m_hasGroup, other.m_hasGroup);
}

Result<ChildExit> runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::stop_token& stop)
{
    Pipe output, wake;
    if (!output.open(O_NONBLOCK) || !wake.open(O_NONBLOCK)) {
        return makeError(ErrorKind::io, std::string("cannot create a pipe: ") + std::strerror(errno));
    }
    ChildOptions options{.argv = {program.string()}, .input = ChildOptions::kNull, .output = output.ends[1]};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    options.error = output.ends[1];
    options.group = ChildGroup::own;
    options.defaultSignals = {SIGPIPE};
    options.clearsSignalMask = true;
    auto started = ChildProcess::start(options);
    if (!started) return makeError(ErrorKind::io, std::move(started).error().message);
    ChildProcess child = *std::move(started);
    output.closeEnd(1);
    const std::stop_callback wakeUp(stop,
                                    [&] { [[maybe_unused]] const auto sent = ::write(wake.ends[1], "", 1); });
    ChildExit out;
    std::optional<Clock::time_point> terminationTime;
    for (;;) {
        // Once the wake-up byte has been handled, it is not polled again, because only output and time matter
        // from then on.
        std::array<pollfd, 2> ends{{{output.ends[0], POLLIN, 0}, {wake.ends[0], POLLIN, 0}}};
        ::poll(ends.data(), terminationTime ? 1 : 2, kPoll_ms);
        drain(output.ends[0], out.output);
        if (const auto ended = child.poll()) {
            out.status = exitStatusOf(*ended);
            break;
        }
        if (stop.stop_requested() && !terminationTime) {
            child.signal(SIGTERM);
            terminationTime = Clock::now();
        } else if (terminationTime && Clock::now() - *terminationTime > kTerminationTimeout) {
            child.signal(SIGKILL);
        }
        if ((ends[0].revents & POLLHUP) != 0) {
            // The output is closed, so the program is about to exit, and poll() on the output would no longer
            // block.
            ::poll(nullptr, 0, 1);
        }
    }
    drain(output.ends[0], out.output);
    if (terminationTime) {
        child.signal(SIGKILL); // kills processes that the program left in its group
        return makeError(ErrorKind::canceled, "canceled");
    }
    if (out.output.size() > kMaxOutput_bytes) out.output.erase(0, out.output.size() - kMaxOutput_bytes);
    return out;
}

} // namespace lockstep
