// SPDX-License-Identifier: Apache-2.0
// TaskPool: the worker threads that all parallel loops of a program share, so that loops inside loops and
// files read side by side use the machine's cores once, and a frame does not start threads. Any thread. A
// process that is forked off has the pool's locks as they happened to be and none of its threads: there the
// caller works alone, and nothing is taken down.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include <sys/types.h>

namespace lockstep {

class TaskPool {
  public:
    using Body = std::function<void(size_t index, size_t worker)>;

    // Threads besides the callers', which work too.
    explicit TaskPool(size_t threads);
    // No run() may be under way.
    virtual ~TaskPool();
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    size_t threads() const { return m_threadCount; }
    // Calls body(index, worker) once for each index in [0, count), in ascending order of beginning, worker in
    // [0, most): no two at once with the same worker. The caller works too, and alone where the threads are
    // busy. What body throws is thrown here, once no call is under way any more; later indices are left out.
    // Tests override it to see who works.
    virtual void run(size_t count, size_t most, const Body& body);

  private:
    struct Loop;
    struct Shared; // between the threads

    static void work(Loop& loop, size_t worker);
    static void serve(Shared& shared, std::stop_token stop);
    bool isForkedOff() const;

    const pid_t m_process;
    const size_t m_threadCount;
    std::unique_ptr<Shared> m_shared;
};

} // namespace lockstep
