// TaskPool: the worker threads that all parallel loops of a program share, so that loops inside loops and
// files read side by side use the machine's cores once, and a frame does not start threads. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep {

class TaskPool {
  public:
    using Body = std::function<void(size_t index, size_t worker)>;

    // Threads besides the callers', which work too.
    explicit TaskPool(size_t threads);
    // No run() may be under way.
    ~TaskPool();
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    // Calls body(index, worker) once for each index in [0, count), in ascending order of beginning, worker in
    // [0, most): no two at once with the same worker. The caller works too, and alone where the threads are
    // busy. What body throws is thrown here, once no call is under way any more; later indices are left out.
    void run(size_t count, size_t most, const Body& body);

  private:
    struct Loop;

    static void work(Loop& loop, size_t worker);
    void serve(std::stop_token stop);

    std::mutex m_mutex;
    std::condition_variable_any m_wanted; // a loop can take another worker
    std::list<Loop*> m_loops;             // of callers that are in run()
    std::vector<std::jthread> m_threads;
};

} // namespace lockstep
