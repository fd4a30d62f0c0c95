#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/base/task_pool.h"

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
    // Made when it is first needed and never taken down: loops may run until the program's last moment, and
    // its threads sleep between them.
    static TaskPool& pool = *new TaskPool(std::max<size_t>(1, std::thread::hardware_concurrency()) - 1);
    pool.run(count, workers > 0 ? workers : workerCount(), body);
}

} // namespace lockstep
