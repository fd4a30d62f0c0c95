// SPDX-License-Identifier: Apache-2.0
#include "core/base/task_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include "core/base/load_watch.h"

namespace lockstep {

struct TaskPool::Loop {
    const Body& body;
    const size_t count;
    const size_t most; // maximum number of workers, including the caller
    // Load watch of the report that the caller is reading, if any.
    LoadWatch* const load = LoadScope::current();
    std::atomic<size_t> next = 0;
    // The following members are protected by the pool's mutex.
    size_t workers = 1; // number of workers that ever joined
    size_t active = 0;  // number of active workers in addition to the caller
    std::exception_ptr failure{};
    std::mutex failing{};
    std::condition_variable_any left{};

    bool takesMore() const { return workers < most && next.load(std::memory_order_relaxed) < count; }
};

struct TaskPool::Shared {
    std::mutex mutex;
    std::condition_variable_any needsWorker; // signaled when a loop can use another worker
    std::list<Loop*> loops;                  // loops whose callers are in run()
    std::vector<std::jthread> threads;
};

TaskPool::TaskPool(size_t threads)
    : m_process(::getpid()), m_threadCount(threads), m_shared(std::make_unique<Shared>())
{
    for (size_t i = 0; i < threads; ++i)
        m_shared->threads.emplace_back([this](std::stop_token stop) { serve(*m_shared, std::move(stop)); });
}

TaskPool::~TaskPool()
{
    // A forked process has no threads to join, and a lock may never be released.
    if (isForkedChild()) {
        static_cast<void>(m_shared.release());
        return;
    }
    for (std::jthread& thread : m_shared->threads)
        thread.request_stop();
    m_shared->threads.clear();
}

bool TaskPool::isForkedChild() const
{
    return ::getpid() != m_process;
}

void TaskPool::work(Loop& loop, size_t worker)
{
    const LoadScope scope(loop.load);
    try {
        for (size_t index = loop.next.fetch_add(1); index < loop.count; index = loop.next.fetch_add(1))
            loop.body(index, worker);
    } catch (...) {
        loop.next.store(loop.count);
        const std::lock_guard lock(loop.failing);
        if (!loop.failure) loop.failure = std::current_exception();
    }
}

void TaskPool::serve(Shared& shared, std::stop_token stop)
{
    std::unique_lock lock(shared.mutex);
    while (!stop.stop_requested()) {
        const auto found =
            std::ranges::find_if(shared.loops, [](const Loop* loop) { return loop->takesMore(); });
        if (found == shared.loops.end()) {
            shared.needsWorker.wait(lock, stop, [&shared] {
                return std::ranges::any_of(shared.loops, [](const Loop* loop) { return loop->takesMore(); });
            });
            continue;
        }
        Loop& loop = **found;
        const size_t worker = loop.workers++;
        ++loop.active;
        lock.unlock();
        work(loop, worker);
        lock.lock();
        if (--loop.active == 0) loop.left.notify_all();
    }
}

void TaskPool::run(size_t count, size_t most, const Body& body)
{
    Loop loop{body, count, isForkedChild() ? 1 : std::min({most, count, m_threadCount + 1})};
    Shared& shared = *m_shared;
    if (loop.most > 1) {
        {
            const std::lock_guard lock(shared.mutex);
            shared.loops.push_back(&loop);
        }
        shared.needsWorker.notify_all();
    }
    work(loop, 0);
    if (loop.most > 1) {
        std::unique_lock lock(shared.mutex);
        shared.loops.remove(&loop);
        loop.left.wait(lock, [&] { return loop.active == 0; });
    }
    if (loop.failure) std::rethrow_exception(loop.failure);
}

} // namespace lockstep
