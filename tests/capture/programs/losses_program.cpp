// SPDX-License-Identifier: Apache-2.0
// A program that makes a capture lose records, or that follows commands: losses_program MODE [NUMBER].
//   talk        runs one command per line of standard input, answers each with "ok", and ends with the input
//   outer N     makes N ranges "outer I" around many short ones, in competition with other threads; prints I
//               and the nanoseconds that each took
//   cycles N    makes N ranges "capture me" with one range inside each
//   threads N   starts N threads that live at the same time and record one range each
//   details     uses names and payloads that are too large, and registers one text again and again
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "capture/demo/nvtx_client.h"

namespace {

long long now_ns()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void pairs(long count)
{
    char name[32];
    for (long i = 0; i < count; ++i) {
        std::snprintf(name, sizeof name, "pair %ld", i % 1000);
        client::push(name);
        client::pop();
    }
}

// Waits until everything recorded has been passed to the file system or refused by it.
void flush()
{
    void* const library = dlopen(std::getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    const auto function = reinterpret_cast<void (*)(int)>(dlsym(library, "lockstep_flush"));
    if (function != nullptr) function(10'000);
}

void execute(const std::string& word, const std::string& rest)
{
    static uint64_t started = 0;
    if (word == "push") client::push(rest.c_str());
    if (word == "pop") client::pop();
    if (word == "start") started = client::start(rest.c_str());
    if (word == "end") client::end(started);
    if (word == "pairs") pairs(std::atol(rest.c_str()));
    if (word == "flush") flush();
    if (word == "thread") std::thread([&rest] { client::push(rest.c_str()); }).join();
    if (word == "chdir" && chdir(rest.c_str()) != 0) std::abort();
}

void talk()
{
    for (std::string line; std::getline(std::cin, line);) {
        const size_t space = std::min(line.find(' '), line.size());
        execute(line.substr(0, space), line.substr(std::min(space + 1, line.size())));
        std::cout << "ok" << std::endl;
    }
}

void outer(long count)
{
    std::atomic<bool> isOver{false};
    std::vector<std::thread> noise;
    for (int i = 0; i < 3; ++i) {
        noise.emplace_back([&isOver] {
            while (!isOver.load()) {
                client::push("noise");
                client::pop();
            }
        });
    }
    for (long i = 0; i < count; ++i) {
        const std::string name = "outer " + std::to_string(i);
        const long long begin_ns = now_ns();
        client::push(name.c_str());
        for (int inner = 0; inner < 50'000; ++inner) {
            client::push("middle");
            client::push("inner");
            client::pop();
            client::pop();
        }
        client::pop();
        std::printf("%ld %lld\n", i, now_ns() - begin_ns);
    }
    isOver = true;
    for (std::thread& thread : noise)
        thread.join();
}

void cycles(long count)
{
    for (long i = 0; i < count; ++i) {
        client::push("capture me");
        client::push("inside");
        client::pop();
        client::pop();
    }
}

void threads(long count)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(count));
    std::vector<std::thread> all;
    for (long i = 0; i < count; ++i) {
        all.emplace_back([&barrier] {
            client::push("alive");
            pthread_barrier_wait(&barrier);
            client::pop();
        });
    }
    for (std::thread& thread : all)
        thread.join();
}

void details()
{
    const client::Domain domain = client::domain("details");
    const std::string longName(3u << 20, 'n');
    client::push(longName.c_str());
    client::pop();
    const std::vector<char> bytes(100'000, 'p');
    std::vector<client::nvtx::PayloadBytes> payloads(20, {1, 8, bytes.data()});
    payloads[3].size = bytes.size();
    client::nvtx::EventAttributes made = client::attributes("with payloads", nullptr, {});
    made.payloadType = client::nvtx::kBinaryPayload;
    made.payloadCount = static_cast<int32_t>(payloads.size());
    made.payload = reinterpret_cast<uint64_t>(payloads.data());
    client::call<int>(client::g_core2, client::nvtx::kDomainRangePushEx, domain, &made);
    client::pop(domain);
    client::Text text = nullptr;
    for (int i = 0; i < 2'000'000; ++i)
        text = client::registered(domain, "registered again");
    client::push(domain, nullptr, text);
    client::pop(domain);
    for (int i = 0; i < 1'000'000; ++i)
        client::nameThread(static_cast<uint32_t>(gettid()), "named again");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) return 2;
    const std::string mode = argv[1];
    const long number = argc > 2 ? std::atol(argv[2]) : 0;
    if (mode == "talk") talk();
    if (mode == "outer") outer(number);
    if (mode == "cycles") cycles(number);
    if (mode == "threads") threads(number);
    if (mode == "details") details();
}
