#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep {

namespace {

std::atomic<size_t> chosenWorkers = 0;

} // namespace

size_t workerCount()
{
    const size_t chosen = chosenWorkers.load(std::memory_order_relaxed);
    return chosen > 0 ? chosen : std::max<size_t>(1, std::thread::hardware_concurrency());
}

void setWorkerCount(size_t count)
{
    chosenWorkers.store(count, std::memory_order_relaxed);
}

void parallelFor(size_t count, const std::function<void(size_t, size_t)>& body, size_t workers)
{
    workers = std::min(count, workers > 0 ? workers : workerCount());
    std::atomic<size_t> next = 0;
    const auto run = [&](size_t worker) {
        for (size_t index = next.fetch_add(1); index < count; index = next.fetch_add(1))
            body(index, worker);
    };
    std::vector<std::jthread> threads;
    for (size_t worker = 1; worker < workers; ++worker)
        threads.emplace_back(run, worker);
    run(0);
}

} // namespace lockstep
