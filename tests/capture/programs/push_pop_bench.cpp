// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a push/pop pair in nanoseconds of thread CPU time: push_pop_bench PAIRS THREADS
// [PAUSE]. Prints one number. After every PAUSE pairs it sleeps for 1 ms, so that a machine with few cores
// can keep up.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "capture/demo/nvtx_client.h"

namespace {

double threadTime_ns()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

double pairCost_ns(long pairs, long pause)
{
    client::push("warm");
    client::pop();
    double spent_ns = 0;
    for (long done = 0; done < pairs;) {
        const long batch = pause > 0 ? std::min(pause, pairs - done) : pairs;
        const double begin = threadTime_ns();
        for (long i = 0; i < batch; ++i) {
            client::push("forward pass");
            client::pop();
        }
        spent_ns += threadTime_ns() - begin;
        done += batch;
        if (pause > 0) usleep(1000);
    }
    return spent_ns / double(pairs);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) return 2;
    const long pairs = std::atol(argv[1]), pause = argc > 3 ? std::atol(argv[3]) : 0;
    std::vector<double> costs(static_cast<size_t>(std::atol(argv[2])));
    std::vector<std::thread> threads;
    for (double& cost : costs)
        threads.emplace_back([&] { cost = pairCost_ns(pairs, pause); });
    for (std::thread& thread : threads)
        thread.join();
    std::sort(costs.begin(), costs.end());
    std::printf("%.1f\n", costs[costs.size() / 2]);
}
