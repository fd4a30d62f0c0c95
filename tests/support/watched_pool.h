// SPDX-License-Identifier: Apache-2.0
// WatchedPool is a TaskPool that records which threads worked on its loops, and how many at once. A shareable
// loop waits until another thread has joined it, so that short loops are observed, too.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "core/base/workers.h"

namespace lockstep::test {

class WatchedPool : public TaskPool {
  public:
    using TaskPool::TaskPool;

    void run(size_t count, size_t most, const Body& body) override
    {
        const bool isShared = std::min(count, most) > 1;
        if (isShared) {
            const std::scoped_lock lock(m_mutex);
            ++m_sharedLoops;
        }
        TaskPool::run(count, most, [&](size_t index, size_t worker) {
            const Inside inside(*this, isShared);
            body(index, worker);
        });
    }

    void forget()
    {
        const std::scoped_lock lock(m_mutex);
        m_seen.clear();
        m_mostAtOnce = m_sharedLoops = 0;
    }
    // Since the last reset: threads that worked, the greatest number of them at once, and the number of loops
    // that several could have worked on.
    size_t threadsSeen() const
    {
        return locked([this] { return m_seen.size(); });
    }
    size_t mostAtOnce() const
    {
        return locked([this] { return m_mostAtOnce; });
    }
    size_t sharedLoops() const
    {
        return locked([this] { return m_sharedLoops; });
    }

  private:
    struct Inside {
        Inside(WatchedPool& of, bool isShared) : pool(of) { pool.enter(isShared); }
        ~Inside() { pool.leave(); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        WatchedPool& pool;
    };

    template<class Read>
    size_t locked(const Read& read) const
    {
        const std::scoped_lock lock(m_mutex);
        return read();
    }

    void enter(bool isShared)
    {
        std::unique_lock lock(m_mutex);
        ++m_inside[std::this_thread::get_id()];
        m_seen.insert(std::this_thread::get_id());
        m_mostAtOnce = std::max(m_mostAtOnce, m_inside.size());
        m_company.notify_all();
        if (isShared) m_company.wait_for(lock, std::chrono::seconds(5), [this] { return m_seen.size() > 1; });
    }

    void leave()
    {
        const std::scoped_lock lock(m_mutex);
        const auto own = m_inside.find(std::this_thread::get_id());
        if (--own->second == 0) m_inside.erase(own);
    }

    mutable std::mutex m_mutex;
    std::condition_variable m_company;
    std::map<std::thread::id, size_t> m_inside;
    std::set<std::thread::id> m_seen;
    size_t m_mostAtOnce = 0;
    size_t m_sharedLoops = 0;
};

} // namespace lockstep::test
