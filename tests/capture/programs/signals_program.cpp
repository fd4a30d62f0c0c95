// SPDX-License-Identifier: Apache-2.0
// Makes ranges in the threads of a program and in a timer's signal handler that interrupts them:
// signals_program MODE. Prints how many push/pop pairs it made. Modes: alarm, prof; names (the handler's
// names are long, wide, registered and in new domains); threads (some call NVTX only in a handler, and
// allocate all the time); stack (the handler has its own stack); jump (the handler leaves by siglongjmp());
// steps (the threads' ranges open and close reports).
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "capture/demo/nvtx_client.h"

namespace {

constexpr double kSeconds = 0.6;

std::atomic<unsigned long> g_pairs{0}, g_handlers{0};
bool g_hasNames = false, g_jumps = false;
sigjmp_buf g_back;
volatile sig_atomic_t g_isReady = 0;
char g_longText[6000];
wchar_t g_wideText[500];

void inHandler(int)
{
    const unsigned long number = g_handlers.fetch_add(1);
    client::push(g_hasNames && number % 3 == 0 ? g_longText : "in a handler");
    client::pop();
    g_pairs.fetch_add(1);
    if (g_hasNames && number < 2000) {
        char name[32];
        std::snprintf(name, sizeof name, "handler %lu", number % 50);
        const client::Domain domain = client::domain(name);
        client::push(domain, nullptr, client::registered(domain, name));
        client::pop(domain);
        client::pushWide(g_wideText);
        client::pop();
        g_pairs.fetch_add(2);
    }
    if (g_jumps && g_isReady != 0) siglongjmp(g_back, 1);
}

double now_s()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

// The handler may leave the call in the middle.
[[gnu::noinline]] void markThatMayBeLeft()
{
    if (sigsetjmp(g_back, 1) == 0) {
        g_isReady = 1;
        client::mark("a mark");
    }
    g_isReady = 0;
}

void record(bool isSteps)
{
    const double end_s = now_s() + kSeconds;
    char name[64];
    for (unsigned long number = 0; now_s() < end_s; ++number) {
        for (int i = 0; i < (isSteps ? 2 : 500); ++i) {
            std::snprintf(name, sizeof name, isSteps ? "step %lu" : "main %lu", number % 3000);
            client::push(name);
            if (g_jumps) markThatMayBeLeft();
            client::pop();
            g_pairs.fetch_add(1);
        }
        usleep(isSteps ? 10'000 : 1000); // lets the writer keep up on few cores
    }
}

void allocate()
{
    std::vector<std::string> texts;
    for (const double end_s = now_s() + kSeconds; now_s() < end_s;) {
        texts.emplace_back(1000 + texts.size() % 5000, 'x');
        if (texts.size() > 200) texts.clear();
    }
}

} // namespace

int main(int count, char** arguments)
{
    const std::string mode = count > 1 ? arguments[1] : "alarm";
    g_hasNames = mode == "names";
    g_jumps = mode == "jump";
    std::memset(g_longText, 'x', sizeof g_longText - 1);
    for (wchar_t& c : g_wideText)
        c = L'ß';
    g_wideText[499] = 0;
    client::push("NVTX has a lock of its own until the first call is done");
    client::pop();
    g_pairs.fetch_add(1);

    static char stack[256 * 1024];
    const stack_t own{stack, 0, sizeof stack};
    if (mode == "stack") sigaltstack(&own, nullptr);
    const int signal = mode == "prof" || mode == "threads" ? SIGPROF : SIGALRM;
    struct sigaction action = {};
    action.sa_handler = inHandler;
    action.sa_flags = SA_RESTART | (mode == "stack" ? SA_ONSTACK : 0);
    sigaction(signal, &action, nullptr);
    const int which = signal == SIGPROF ? ITIMER_PROF : ITIMER_REAL;
    const itimerval often{{0, 200}, {0, 200}};
    setitimer(which, &often, nullptr);
    std::vector<std::thread> threads;
    for (int i = 0; mode == "threads" && i < 3; ++i)
        threads.emplace_back(allocate);
    record(mode == "steps");
    for (std::thread& thread : threads)
        thread.join();
    const itimerval never = {};
    setitimer(which, &never, nullptr);
    std::printf("%lu %lu\n", g_pairs.load(), g_handlers.load());
    return 0;
}
