// SPDX-License-Identifier: Apache-2.0
// Makes 1,000 pairs of push and pop, then ends in the way that its argument names: ends_program WAY. Other
// processes and handlers make pairs with other names: "child" after exec, "forked", "handler", "after" a
// child.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "capture/demo/nvtx_client.h"

extern char** environ;
extern "C" [[noreturn]] void __assert_fail(const char* text, const char* file, unsigned line,
                                           const char* function) noexcept;

namespace {

char** g_arguments; // of main()

void pairs(const char* who, int count)
{
    for (int i = 0; i < count; ++i) {
        client::push((who + (" " + std::to_string(i % 10))).c_str());
        client::pop();
    }
}

// Waits until the report on disk has grown, so that it has everything recorded so far.
void waitForTheWriter()
{
    const auto size = [] {
        const char* const folder = std::getenv("LOCKSTEP_OUTPUT");
        char host[256] = {};
        gethostname(host, sizeof host - 1);
        const std::string path = std::string(folder != nullptr ? folder : ".") + "/process_rank_" + host +
                                 "_" + std::to_string(getpid()) + ".1.lsc";
        struct stat status = {};
        return stat(path.c_str(), &status) == 0 ? status.st_size : 0;
    };
    constexpr off_t kWithMetadata_bytes = 400;
    for (int i = 0; i < 1000 && size() < kWithMetadata_bytes; ++i)
        usleep(1000);
    const auto first = size();
    for (int i = 0; i < 1000 && size() == first; ++i)
        usleep(10'000);
}

std::vector<char*> trueArguments()
{
    return {const_cast<char*>("true"), nullptr};
}

std::vector<char*> childArguments()
{
    return {g_arguments[0], const_cast<char*>("child"), nullptr};
}

void* library()
{
    const std::string program = g_arguments[0];
    const std::string path = program.substr(0, program.rfind('/')) + "/../lib/libcapture-late.so";
    void* const late = dlopen(path.c_str(), RTLD_NOW);
    if (late == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    return late;
}

void callLate(const char* function)
{
    if (auto* const call = reinterpret_cast<void (*)()>(dlsym(library(), function))) call();
}

int forkAndWait(const std::function<void()>& inChild)
{
    const pid_t child = fork();
    if (child == 0) {
        inChild();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    pairs("after", 10);
    return status;
}

// The child ends or executes another program before its parent continues.
int vforkAndWait(bool execs, const char* path)
{
    std::vector<char*> arguments = childArguments();
    const pid_t child = vfork();
    if (child == 0) {
        if (execs) execv(path, arguments.data());
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    pairs("after", 10);
    return status;
}

std::atomic<bool> g_isInside{false}, g_maySleep{true};

int holdLoader(dl_phdr_info*, size_t, void*)
{
    g_isInside.store(true);
    while (g_maySleep.load())
        usleep(1000);
    return 1;
}

// A thread is inside dl_iterate_phdr(), as profilers and unwinders are, while the process forks.
int forkWhileLoaderIsHeld()
{
    std::thread unwinder([] { dl_iterate_phdr(holdLoader, nullptr); });
    while (!g_isInside.load())
        usleep(1000);
    const pid_t child = fork();
    if (child == 0) {
        pairs("forked", 1000);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    g_maySleep.store(false);
    unwinder.join();
    return status;
}

[[noreturn]] void becomeDaemon()
{
    if (fork() != 0) _exit(0);
    setsid();
    if (fork() != 0) _exit(0);
    pairs("forked", 1000);
    std::exit(0);
}

void endsThreads(int count, int pairsEach, bool isInRange)
{
    for (int i = 0; i < count; ++i) {
        std::thread([=] {
            if (isInRange) client::push("dies inside");
            pairs("thread", pairsEach);
        }).join();
    }
}

void recordForEver()
{
    for (int i = 0;; ++i) {
        client::push("endless");
        client::pop();
        if (i % 100 == 0) usleep(1000);
    }
}

std::map<std::string, std::function<int()>> orderlyWays()
{
    return {
        {"return", [] { return 0; }},
        {"exit", []() -> int { std::exit(0); }},
        {"atexit", [] { return std::atexit([] { pairs("handler", 10); }); }},
        {"_exit", []() -> int { _exit(0); }},
        {"_Exit", []() -> int { _Exit(0); }},
        {"quick_exit",
         []() -> int {
             std::at_quick_exit([] { pairs("handler", 10); });
             std::quick_exit(0);
         }},
        {"exit in a thread",
         []() -> int {
             std::thread([] { std::exit(0); }).detach();
             while (true)
                 pause();
         }},
        {"pthread_exit",
         []() -> int {
             std::atexit([] { pairs("handler", 10); });
             pthread_exit(nullptr);
         }},
        {"pthread_exit before a thread",
         []() -> int {
             std::thread([main = pthread_self()] {
                 pthread_join(main, nullptr);
                 pairs("thread", 10);
             }).detach();
             pthread_exit(nullptr);
         }},
        {"endless threads",
         [] {
             for (int i = 0; i < 2; ++i)
                 std::thread(recordForEver).detach();
             waitForTheWriter();
             return 0;
         }},
        {"threads that die in a range", [] { return endsThreads(5, 5, true), 0; }},
        {"1000 threads", [] { return endsThreads(1000, 1, false), 0; }},
        {"start and end",
         [] {
             std::vector<uint64_t> ids;
             for (int i = 0; i < 1000; ++i)
                 ids.push_back(client::start("started"));
             std::thread([&] {
                 for (const uint64_t id : ids)
                     client::end(id);
             }).join();
             return 0;
         }},
        {"unbalanced",
         [] {
             for (int i = 0; i < 100; ++i)
                 client::pop();
             for (int i = 0; i < 100; ++i)
                 client::push("never popped");
             return 0;
         }},
        {"2000 capture ranges",
         [] {
             for (int i = 0; i < 2000; ++i) {
                 client::push("capture me");
                 client::push("inside");
                 client::pop();
                 client::pop();
             }
             return 0;
         }},
        {"late _exit", [] { return callLate("leaveAtOnce"), 1; }},
        {"late exec", [] { return callLate("becomeTrue"), 1; }},
    };
}

std::map<std::string, std::function<int()>> waysOfExec()
{
    return {
        {"execl", [] { return execl("/bin/true", "true", nullptr); }},
        {"execle", [] { return execle("/bin/true", "true", nullptr, environ); }},
        {"execlp", [] { return execlp("true", "true", nullptr); }},
        {"execv", [] { return execv("/bin/true", trueArguments().data()); }},
        {"execve", [] { return execve("/bin/true", trueArguments().data(), environ); }},
        {"execvp", [] { return execvp("true", trueArguments().data()); }},
        {"execvpe", [] { return execvpe("true", trueArguments().data(), environ); }},
        {"fexecve",
         [] { return fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), trueArguments().data(), environ); }},
        {"execveat", [] { return execveat(AT_FDCWD, "/bin/true", trueArguments().data(), environ, 0); }},
        {"exec of itself", [] { return execv(g_arguments[0], childArguments().data()); }},
        {"exec that fails",
         [] {
             execle("/nonexistent", "x", nullptr, environ);
             pairs("after", 10);
             return 0;
         }},
    };
}

std::map<std::string, std::function<int()>> waysWithChildren()
{
    return {
        {"fork", [] { return forkAndWait([] { pairs("forked", 1000), std::exit(0); }); }},
        {"fork and _exit", [] { return forkAndWait([] { pairs("forked", 1000), _exit(0); }); }},
        {"fork and quick_exit",
         [] { return forkAndWait([] { pairs("forked", 1000), std::quick_exit(0); }); }},
        {"fork and exec", [] { return forkAndWait([] { execv(g_arguments[0], childArguments().data()); }); }},
        {"fork and pthread_exit",
         [] { return forkAndWait([] { pairs("forked", 1000), pthread_exit(nullptr); }); }},
        {"fork while the loader is held", forkWhileLoaderIsHeld},
        {"vfork and exec", [] { return vforkAndWait(true, g_arguments[0]); }},
        {"vfork and _exit", [] { return vforkAndWait(false, nullptr); }},
        {"vfork and exec that fails", [] { return vforkAndWait(true, "/nonexistent"); }},
        {"posix_spawn",
         [] {
             pid_t child = 0;
             posix_spawn(&child, g_arguments[0], nullptr, nullptr, childArguments().data(), environ);
             int status = 0;
             waitpid(child, &status, 0);
             pairs("after", 10);
             return status;
         }},
        {"daemon by hand", []() -> int { becomeDaemon(); }},
        {"daemon()",
         [] {
             const int status = daemon(1, 1);
             pairs("forked", 1000);
             return status;
         }},
    };
}

std::map<std::string, std::function<int()>> waysByForce()
{
    const auto killedBy = [](int signal) {
        return [signal] {
            waitForTheWriter();
            return kill(getpid(), signal);
        };
    };
    return {
        {"abort", []() -> int { std::abort(); }},
        {"failed assertion",
         []() -> int {
             std::freopen("/dev/null", "w", stderr);
             __assert_fail("false", "file", 1, "function");
         }},
        {"std::terminate",
         []() -> int {
             std::freopen("/dev/null", "w", stderr);
             std::terminate();
         }},
        {"SIGTERM", killedBy(SIGTERM)},
        {"SIGINT", killedBy(SIGINT)},
        {"SIGKILL", killedBy(SIGKILL)},
        {"raise",
         [] {
             waitForTheWriter();
             return raise(SIGUSR1);
         }},
        {"SIGSEGV",
         [] {
             waitForTheWriter();
             volatile int* volatile nowhere = nullptr;
             *nowhere = 1;
             return 0;
         }},
        {"exit_group by syscall",
         [] { return waitForTheWriter(), static_cast<int>(syscall(SYS_exit_group, 0)); }},
    };
}

} // namespace

int main(int count, char** arguments)
{
    if (count < 2) return 2;
    g_arguments = arguments;
    const std::string way = arguments[1];
    if (way == "child") return pairs("child", 1000), 0;
    const rlimit none = {};
    setrlimit(RLIMIT_CORE, &none);
    pairs("main", 1000);
    if (way == "late dlsym") {
        auto* const isKnown = reinterpret_cast<int (*)()>(dlsym(library(), "isKnownAsCaller"));
        return isKnown != nullptr && isKnown() == 1 ? 0 : 3;
    }
    for (const auto& ways : {orderlyWays(), waysOfExec(), waysWithChildren(), waysByForce()}) {
        if (const auto found = ways.find(way); found != ways.end()) return found->second() == 0 ? 0 : 1;
    }
    std::fprintf(stderr, "unknown: %s\n", way.c_str());
    return 2;
}
