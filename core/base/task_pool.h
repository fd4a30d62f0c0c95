// SPDX-License-Identifier: Apache-2.0
// TaskPool: the worker threads shared by all parallel loops of a program, so that nested loops and files read
// in parallel do not oversubscribe the cores, and drawing a frame never starts threads. Any thread. A forked
// child process has the locks in an arbitrary state and does not have the threads. In such a process, the
// caller works alone and the destructor does not join threads.
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

    // `threads` is the number of threads in addition to the callers. The callers also work.
    explicit TaskPool(size_t threads);
    // No run() may be in progress.
    virtual ~TaskPool();
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    size_t threads() const { return m_threadCount; }
    // Calls body(index, worker) once for each index in [0, count), starting in ascending order, with worker
    // in [0, most). No two calls with the same worker overlap. The caller works too, and works alone if the
    // threads are busy. If body throws, later indices are skipped, and the exception is rethrown here after
    // all running calls have finished. Tests override this function to observe the workers.
    virtual void run(size_t count, size_t most, const Body& body);

  private:
    struct Loop;
    struct Shared; // state shared between the threads

    static void work(Loop& loop, size_t worker);
    static void serve(Shared& shared, std::stop_token stop);
    bool isForkedChild() const;

    const pid_t m_process;
    const size_t m_threadCount;
    std::unique_ptr<Shared> m_shared;
};

} // namespace lockstep
