#include "core/base/task_pool.h"

#include <algorithm>
#include <atomic>

namespace lockstep {

struct TaskPool::Loop {
    const Body& body;
    const size_t count;
    const size_t most; // workers, the caller among them
    std::atomic<size_t> next = 0;
    // Below: under the pool's mutex.
    size_t workers = 1; // that ever joined
    size_t active = 0;  // besides the caller
    std::exception_ptr failure{};
    std::mutex failing{};
    std::condition_variable_any left{};

    bool takesMore() const { return workers < most && next.load(std::memory_order_relaxed) < count; }
};

TaskPool::TaskPool(size_t threads)
{
    for (size_t i = 0; i < threads; ++i)
        m_threads.emplace_back([this](std::stop_token stop) { serve(std::move(stop)); });
}

TaskPool::~TaskPool()
{
    for (std::jthread& thread : m_threads)
        thread.request_stop();
}

void TaskPool::work(Loop& loop, size_t worker)
{
    try {
        for (size_t index = loop.next.fetch_add(1); index < loop.count; index = loop.next.fetch_add(1))
            loop.body(index, worker);
    } catch (...) {
        loop.next.store(loop.count);
        const std::lock_guard lock(loop.failing);
        if (!loop.failure) loop.failure = std::current_exception();
    }
}

void TaskPool::serve(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        const auto found = std::ranges::find_if(m_loops, [](const Loop* loop) { return loop->takesMore(); });
        if (found == m_loops.end()) {
            m_wanted.wait(lock, stop, [this] {
                return std::ranges::any_of(m_loops, [](const Loop* loop) { return loop->takesMore(); });
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
    Loop loop{body, count, std::min({most, count, m_threads.size() + 1})};
    if (loop.most > 1) {
        {
            const std::lock_guard lock(m_mutex);
            m_loops.push_back(&loop);
        }
        m_wanted.notify_all();
    }
    work(loop, 0);
    if (loop.most > 1) {
        std::unique_lock lock(m_mutex);
        m_loops.remove(&loop);
        loop.left.wait(lock, [&] { return loop.active == 0; });
    }
    if (loop.failure) std::rethrow_exception(loop.failure);
}

} // namespace lockstep
