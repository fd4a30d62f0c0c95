// SPDX-License-Identifier: Apache-2.0
// A program that calls NVTX and logs its calls, for the tests to compare: ranges_program MODE LOG. A log line
// has thread, domain, depth and name; depth is "se" for start/end ranges and "mark" for marks.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "capture/demo/nvtx_client.h"

namespace {

std::mutex g_logMutex;
std::FILE* g_log = nullptr;
bool g_hasLongNames = true;

long threadId()
{
    return syscall(SYS_gettid);
}

void log(const std::vector<std::string>& lines)
{
    const std::lock_guard lock(g_logMutex);
    for (const std::string& line : lines)
        std::fprintf(g_log, "%s\n", line.c_str());
    std::fflush(g_log);
}

std::string line(const std::string& domain, const std::string& depth, const std::string& name)
{
    return std::to_string(threadId()) + "\t" + domain + "\t" + depth + "\t" + name;
}

struct NamedDomain {
    std::string name;
    client::Domain handle;
};

// Makes random nested ranges in the default domain and the given ones.
void nestRanges(const std::vector<NamedDomain>& domains, unsigned seed, int calls)
{
    std::mt19937 random(seed);
    std::vector<std::string> lines;
    std::map<std::string, int> depths;
    std::vector<client::Text> texts;
    for (const NamedDomain& domain : domains)
        texts.push_back(client::registered(domain.handle, ("registered in " + domain.name).c_str()));
    const std::string longName(64 * 1024, 'x');
    for (int i = 0; i < calls; ++i) {
        const size_t at = random() % (domains.size() + 1);
        const std::string domain = at < domains.size() ? domains[at].name : "";
        int& depth = depths[domain];
        const bool pushes = depth == 0 || (depth < 12 && random() % 2 == 0);
        if (!pushes) {
            if (at < domains.size())
                client::pop(domains[at].handle);
            else
                client::pop();
            --depth;
            continue;
        }
        std::string name = "range " + std::to_string(random() % 50);
        if (i % 97 == 0 && g_hasLongNames) name = longName + std::to_string(i);
        if (i % 31 == 0) name = "Größe 測定 🚀 " + std::to_string(i);
        if (at == domains.size()) {
            if (i % 7 == 0) {
                client::pushWide(L"wide ä🚀");
                name = "wide ä🚀";
            } else {
                client::push(name.c_str());
            }
        } else if (i % 5 == 0) {
            client::push(domains[at].handle, nullptr, texts[at]);
            name = "registered in " + domain;
        } else {
            client::push(domains[at].handle, name.c_str(), nullptr,
                         {static_cast<uint32_t>(i % 3), 0xFF00FF00});
        }
        lines.push_back(line(domain, std::to_string(depth++), name));
        if (i % 13 == 0) {
            client::mark("a mark");
            lines.push_back(line("", "mark", "a mark"));
        }
    }
    for (auto& [domain, depth] : depths) {
        for (; depth > 0; --depth) {
            const auto found =
                std::find_if(domains.begin(), domains.end(),
                             [&name = domain](const NamedDomain& each) { return each.name == name; });
            if (found != domains.end())
                client::pop(found->handle);
            else
                client::pop();
        }
    }
    log(lines);
}

void fourThreads()
{
    const std::vector<NamedDomain> domains{{"first", client::domain("first")},
                                           {"second", client::domain("second")},
                                           {"dritte ß", client::domain("dritte ß")}};
    client::nameCategory(domains[0].handle, 1, "category one");
    std::vector<uint64_t> handedOver(4);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            client::nameThread(static_cast<uint32_t>(threadId()), ("worker " + std::to_string(i)).c_str());
            handedOver[i] = client::start(domains[i % 3].handle, ("across " + std::to_string(i)).c_str());
            log({line(domains[i % 3].name, "se", "across " + std::to_string(i))});
            nestRanges(domains, i, 4000);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (unsigned i = 0; i < 4; ++i)
        client::end(domains[i % 3].handle, handedOver[i]);
}

// Starts hundreds of short-lived threads.
void threadStorm()
{
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 40; ++i) {
            threads.emplace_back([i] {
                const std::string name = "storm " + std::to_string(i);
                client::push(name.c_str());
                client::push("inner");
                client::pop();
                client::pop();
                log({line("", "0", name), line("", "1", "inner")});
            });
        }
        for (std::thread& thread : threads)
            thread.join();
    }
}

void forkAndWait(const std::function<void()>& inChild)
{
    const pid_t child = fork();
    if (child == 0) {
        inChild();
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::exit(9);
}

void forks()
{
    nestRanges({}, 1, 300);
    for (int i = 0; i < 3; ++i)
        forkAndWait([] { nestRanges({{"in child", client::domain("in child")}}, 2, 300); });
    forkAndWait([] {}); // a child without ranges leaves no report
    nestRanges({}, 3, 300);
}

[[noreturn]] void untilKilled()
{
    std::printf("ready\n");
    std::fflush(stdout);
    for (uint64_t i = 0;; ++i) {
        client::push("outer");
        for (int inner = 0; inner < 3; ++inner) {
            client::push("inner");
            client::pop();
        }
        client::pop();
        if (i % 100 == 0) usleep(200);
    }
}

// Makes steps of a training run with stages inside, for the capture ranges: push/pop ranges "step N" from 1
// to 6.
void steps()
{
    for (int step = 1; step <= 6; ++step) {
        client::push(("step " + std::to_string(step)).c_str());
        client::push(("work of " + std::to_string(step)).c_str());
        client::pop();
        client::pop();
        client::push("between");
        client::pop();
    }
}

// Returns the action for each signal. A process inherits from its parent which signals are ignored.
std::vector<void (*)(int)> signalActions()
{
    std::vector<void (*)(int)> actions;
    struct sigaction action = {};
    for (int signal = 1; signal < 32; ++signal) {
        if (sigaction(signal, nullptr, &action) == 0) actions.push_back(action.sa_handler);
    }
    return actions;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) return 2;
    const auto inherited = signalActions();
    const std::string mode = argv[1];
    g_log = std::fopen(argv[2], "a");
    if (g_log == nullptr) return 3;
    if (mode == "threads")
        fourThreads();
    else if (mode == "short") {
        g_hasLongNames = false;
        fourThreads();
    } else if (mode == "storm")
        threadStorm();
    else if (mode == "fork")
        forks();
    else if (mode == "killed")
        untilKilled();
    else if (mode == "steps")
        steps();
    else if (mode == "exec") {
        nestRanges({}, 1, 300);
        execl("/proc/self/exe", argv[0], "plain", argv[2], nullptr);
        return 4;
    } else if (mode == "early") {
        nestRanges({}, 1, 300);
        _exit(7);
    } else if (mode == "quiet") {
        std::printf("hello\n");
    } else {
        nestRanges({}, 1, 300);
    }
    // State that a loaded library must not have changed.
    if (signalActions() != inherited) return 5;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    for (int signal = 1; signal < 32; ++signal) {
        if (sigismember(&blocked, signal) == 1) return 6;
    }
    return std::strcmp(std::setlocale(LC_ALL, nullptr), "C") == 0 ? 0 : 8;
}
