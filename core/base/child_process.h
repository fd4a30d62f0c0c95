// SPDX-License-Identifier: Apache-2.0
// ChildProcess: starts a program without a shell, and owns the process until it has been reaped. runChild()
// runs a program to its end and collects its output. All file descriptors of Lockstep are close-on-exec, so a
// program inherits only its standard streams.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/base/result.h"

namespace lockstep {

enum class ChildGroup {
    ofParent, // the process group of this process
    own,      // a new process group
    session   // a new session, and with it a new process group
};

struct ChildOptions {
    // Values of a standard stream that are not file descriptors: the stream of this process, and /dev/null.
    static constexpr int kInherited = -1;
    static constexpr int kNull = -2;

    // The program and its arguments. A program without a slash is searched in the child's PATH.
    std::vector<std::string> argv = {};
    // "NAME=value" entries that are added to the environment of this process or replace its entries.
    std::vector<std::string> environment = {};
    std::filesystem::path workingFolder = {}; // empty = that of this process
    // File descriptors, which the caller keeps, or one of the constants above.
    int input = kInherited;
    int output = kInherited;
    int error = kInherited;
    ChildGroup group = ChildGroup::ofParent;
    // Kills the process when the thread that started it ends for any reason.
    bool endsWithThread = false;
    // Signals to handle by default even if this process ignores them. Signals that this process catches are
    // always handled by default.
    std::vector<int> defaultSignals = {};
    bool clearsSignalMask = false; // false = the mask of the calling thread
};

// Returns the exit status of a program, or 128 + the signal that killed it.
int exitStatusOf(int waitStatus);

class ChildProcess {
  public:
    // Starts a program and returns once it is running. Errors: io if no process can be created; notFound if
    // the program or the working folder does not exist; invalid if it cannot be used.
    static Result<ChildProcess> start(const ChildOptions& options);

    ChildProcess() = default; // no process
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ChildProcess(ChildProcess&& other) noexcept { swap(other); }
    ChildProcess& operator=(ChildProcess&& other) noexcept
    {
        swap(other);
        return *this;
    }
    // Sends SIGKILL to a process that is still running, and reaps it.
    ~ChildProcess();

    bool isRunning() const { return m_isRunning; } // true until the process has been reaped
    pid_t pid() const { return m_pid; }
    // Signals the process, or the whole group if it has its own; the latter also after the process has ended.
    void signal(int number) const;
    // Reaps the process if it has ended, and returns its wait status. Returns nullopt while it runs.
    std::optional<int> poll();
    // Blocks until the process has ended, and returns its wait status.
    int wait();
    // Like wait(), but returns nullopt after `timeout`.
    std::optional<int> waitFor(std::chrono::milliseconds timeout);
    // Gives up a process, which then continues and is not reaped.
    void release() { m_isRunning = false; }

  private:
    void swap(ChildProcess& other) noexcept;

    pid_t m_pid = 0;
    bool m_isRunning = false;
    bool m_hasGroup = false;
};

struct ChildExit {
    int status = 0;     // exit status, or 128 + the signal that killed the process
    std::string output; // last 64 KiB of standard output and standard error, as received
};

// Runs a program with arguments (argv[1] on) in its own process group, without input, and with the
// environment of this process. Blocks until the program exits. A stop request terminates the whole process
// group: SIGTERM first, SIGKILL after two seconds. Errors: io if the program cannot be started, canceled.
Result<ChildExit> runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::stop_token& stop);

} // namespace lockstep
