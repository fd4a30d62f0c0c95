#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <pthread.h>

#include "core/base/task_pool.h"

namespace lockstep {

namespace {

std::atomic<size_t> chosenWorkers = 0;
std::atomic<bool> hasPool = false;  // or is making one
std::atomic<bool> isForked = false; // this process began as a copy of one that had a pool
// A copy has none of the threads, and locks as they happened to be.
const int kForksAreSeen = pthread_atfork(nullptr, nullptr, [] { isForked = hasPool.load(); });

// Made when it is first needed and never taken down: loops may run until the program's last moment, and its
// threads sleep between them.
TaskPool& programPool()
{
    static TaskPool& pool = *[] {
        hasPool = kForksAreSeen == 0;
        return new TaskPool(std::max<size_t>(1, std::thread::hardware_concurrency()) - 1);
    }();
    return pool;
}

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
    if (isForked) {
        for (size_t index = 0; index < count; ++index)
            body(index, 0);
        return;
    }
    programPool().run(count, workers > 0 ? workers : workerCount(), body);
}

} // namespace lockstep
