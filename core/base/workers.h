// SPDX-License-Identifier: Apache-2.0
// Workers: who does the work of a parallel loop: the caller, and with a TaskPool some of its threads. A small
// value, made once by whoever starts a program or a test and handed down, mostly inside a Progress. All
// copies share the pool, so loops inside loops and jobs side by side never use more threads than it has, and
// their callers. Any thread.
#pragma once

#include <memory>

#include "core/base/task_pool.h"

namespace lockstep {

class Workers {
  public:
    // The caller works alone.
    Workers() = default;
    // The caller and the threads of a pool. Never null.
    explicit Workers(std::shared_ptr<TaskPool> pool);
    // A new pool for all cores of this machine, or for as many workers as asked for where these are fewer.
    // 0 = as many as cores.
    static Workers ofMachine(size_t most = 0);

    // At least 1.
    size_t count() const { return m_count; }
    // The same pool, at most this many of its workers at once, the caller among them; 0 counts as 1.
    Workers limitedTo(size_t most) const;

    // Calls body(index, worker) once for each index in [0, count), in ascending order of beginning, worker in
    // [0, this->count()): no two at once with the same worker. Blocks until every index was handled. What
    // body throws is thrown here. In a process that was forked off the pool's the caller works alone.
    void run(size_t count, const TaskPool::Body& body) const;

  private:
    std::shared_ptr<TaskPool> m_pool;
    size_t m_count = 1;
};

} // namespace lockstep
