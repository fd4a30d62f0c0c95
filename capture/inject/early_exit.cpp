// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/early_exit.h"

#include <alloca.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>

#include "capture/inject/call_state.h"
#include "capture/inject/object_calls.h"
#include "capture/inject/recorder.h"

extern "C" [[noreturn]] void __assert_fail(const char* text, const char* file, unsigned line,
                                           const char* function) noexcept;

namespace lockstep::capture {

namespace {

constexpr int64_t kLongestFlush_ns = 500'000'000;

// The process that began the watch.
std::atomic<pid_t> g_watcher{0};

// Returns the recorder if this process created it. Returns nullptr in a child of vfork, which runs in the
// memory of its parent.
Recorder* own() noexcept
{
    Recorder* const recorder = Recorder::current();
    return recorder != nullptr && recorder->pid() == getpid() ? recorder : nullptr;
}

void flushBefore() noexcept
{
    if (Recorder* const recorder = own()) recorder->flush(kLongestFlush_ns);
}

void noteExitStatus(int status, void*) noexcept
{
    if (Recorder* const recorder = own()) recorder->noteExitStatus(status);
}

[[noreturn]] void leave(int status) noexcept
{
    noteExitStatus(status, nullptr);
    if (Recorder* const recorder = own()) recorder->finish();
    _exit(status);
}

// Handler of quick_exit(). It runs after the handlers of the program, except those registered before this
// library was loaded.
void endQuickly() noexcept
{
    if (Recorder* const recorder = own()) recorder->finish();
}

[[noreturn]] void abortProcess() noexcept
{
    flushBefore();
    abort();
}
[[noreturn]] void failAssertion(const char* text, const char* file, unsigned line,
                                const char* function) noexcept
{
    flushBefore();
    __assert_fail(text, file, line, function);
}

int replaceE(const char* path, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return execve(path, arguments, environment);
}
int replaceV(const char* path, char* const arguments[]) noexcept
{
    flushBefore();
    return execv(path, arguments);
}
int replaceVp(const char* file, char* const arguments[]) noexcept
{
    flushBefore();
    return execvp(file, arguments);
}
int replaceVpe(const char* file, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return execvpe(file, arguments, environment);
}
int replaceF(int file, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return fexecve(file, arguments, environment);
}
int replaceAt(int folder, const char* path, char* const arguments[], char* const environment[],
              int flags) noexcept
{
    flushBefore();
    return static_cast<int>(syscall(SYS_execveat, folder, path, arguments, environment, flags)); // glibc 2.34
}

// execl() and similar functions: convert their arguments to an array for execv(). The array is on the stack,
// because a child of vfork() or a signal handler may make the call. `count` includes the null pointer at the
// end.
size_t countListed(const char* first, va_list& rest) noexcept
{
    size_t count = 1;
    for (const char* argument = first; argument != nullptr; ++count)
        argument = va_arg(rest, const char*);
    return count;
}
void copyListed(char** to, const char* first, va_list& rest) noexcept
{
    *to = const_cast<char*>(first);
    while (*to != nullptr)
        *++to = va_arg(rest, char*);
}
int replaceL(const char* path, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    va_end(rest);
    return replaceV(path, arguments);
}
int replaceLp(const char* file, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    va_end(rest);
    return replaceVp(file, arguments);
}
int replaceLe(const char* path, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    char* const* const environment = va_arg(rest, char* const*);
    va_end(rest);
    return replaceE(path, arguments, environment);
}

// daemon() ends its caller inside libc, where calls are not redirected.
int becomeDaemon(int keepsFolder, int collectsOutput) noexcept
{
    flushBefore();
    return daemon(keepsFolder, collectsOutput);
}

// A program that loads a library usually looks up symbols in it next. dlsym() identifies its caller by the
// return address, so this must remain a tail call; captured_ends_test checks that.
void* lookUp(void* library, const char* name) noexcept
{
    watchEarlyExits();
    return dlsym(library, name);
}

const CallDetour kDetours[] = {
    {"_exit", reinterpret_cast<void*>(leave)},
    {"_Exit", reinterpret_cast<void*>(leave)},
    {"abort", reinterpret_cast<void*>(abortProcess)},
    {"__assert_fail", reinterpret_cast<void*>(failAssertion)},
    {"execve", reinterpret_cast<void*>(replaceE)},
    {"execv", reinterpret_cast<void*>(replaceV)},
    {"execvp", reinterpret_cast<void*>(replaceVp)},
    {"execvpe", reinterpret_cast<void*>(replaceVpe)},
    {"fexecve", reinterpret_cast<void*>(replaceF)},
    {"execveat", reinterpret_cast<void*>(replaceAt)},
    {"execl", reinterpret_cast<void*>(replaceL)},
    {"execlp", reinterpret_cast<void*>(replaceLp)},
    {"execle", reinterpret_cast<void*>(replaceLe)},
    {"daemon", reinterpret_cast<void*>(becomeDaemon)},
    {"dlsym", reinterpret_cast<void*>(lookUp)},
};

} // namespace

void beginEarlyExitWatch() noexcept
{
    if (g_watcher.exchange(getpid()) != 0) return;
    at_quick_exit(endQuickly);
    on_exit(noteExitStatus, nullptr); // the destructor that finishes the report does not receive the status
}

void watchEarlyExits() noexcept
{
    if (g_watcher.load(std::memory_order_relaxed) != getpid()) return;
    const ErrnoGuard kept;
    patchCalls(kDetours);
}

} // namespace lockstep::capture
