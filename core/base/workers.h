// SPDX-License-Identifier: Apache-2.0
// Workers: the threads that run a parallel loop, i.e. the caller and, with a TaskPool, some of its threads.
// Small value type, created once at program or test start and passed on, usually inside a Progress. All
// copies share the pool, so nested loops and parallel jobs never use more threads than the pool has, plus
// their callers. Any thread.
#pragma once

#include <memory>

#include "core/base/task_pool.h"

namespace lockstep {

class Workers {
  public:
    // Only the caller works.
    Workers() = default;
    // The caller and the threads of a pool work; the pool must not be null.
    explicit Workers(std::shared_ptr<TaskPool> pool);
    // Creates a pool for all cores of this machine, or for `most` workers if that is less. `most` = 0 means
    // all cores.
    static Workers ofMachine(size_t most = 0);

    // Returns the number of workers, at least 1.
    size_t count() const { return m_count; }
    // Returns the same pool limited to `most` concurrent workers, including the caller; 0 is treated as 1.
    Workers limitedTo(size_t most) const;

    // Calls body(index, worker) once for each index in [0, count), starting in ascending order, with worker
    // in [0, this->count()). No two calls with the same worker overlap. Blocks until all indices are done. An
    // exception from body is rethrown here. In a forked child process the caller works alone.
    void run(size_t count, const TaskPool::Body& body) const;

  private:
    std::shared_ptr<TaskPool> m_pool;
    size_t m_count = 1;
};

} // namespace lockstep
