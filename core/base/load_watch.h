// SPDX-License-Identifier: Apache-2.0
// LoadWatch stops one report that is being read when the memory of this process passes its limit: files are
// compressed, repeat themselves and lie, so what a report takes is known only while it is read. A thread of
// its own compares what the process holds with the limit, every 10 ms, near the limit every millisecond.
// Large blocks are checked before they are allocated: a list that doubles would pass the limit by far before
// the thread sees it. This library's operator new does that for blocks of 16 MiB and more on threads that
// work for the report (LoadScope), and throws std::bad_alloc. Created by whoever reads a report; see
// readContents(). Any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/base/result.h"

namespace lockstep {

class LoadWatch {
  public:
    // limit_bytes: what the process may hold. isOnDisk: the report's columns go to files already, so that
    // only the rest of it is on the heap.
    LoadWatch(uint64_t limit_bytes, bool isOnDisk);
    ~LoadWatch();
    LoadWatch(const LoadWatch&) = delete;
    LoadWatch& operator=(const LoadWatch&) = delete;

    // Requested once the report is stopped.
    std::stop_token stopToken() const { return m_stop.get_token(); }
    bool isOver() const { return m_stop.stop_requested(); }
    bool isOnDisk() const { return m_isOnDisk; }
    // What the process may hold while this report is read: the limit, or a little more than it held before
    // where that is above the limit already.
    uint64_t most_bytes() const { return m_most_bytes; }
    // How much more the process held than before, when this was stopped.
    uint64_t grown_bytes() const { return m_grown_bytes.load(std::memory_order_relaxed); }
    // Whether so many bytes more fit; if not, the report is stopped.
    bool admit(uint64_t size_bytes);
    void stop();
    // io with the limit once it was stopped.
    Status status() const;

  private:
    void watch(const std::stop_token& isFinished);

    const uint64_t m_limit_bytes;
    const bool m_isOnDisk;
    const uint64_t m_before_bytes;
    const uint64_t m_most_bytes;
    std::atomic<uint64_t> m_grown_bytes = 0;
    std::stop_source m_stop;
    std::mutex m_mutex;
    std::condition_variable_any m_finished;
    std::jthread m_thread; // last: ends before the rest goes
};

// LoadScope marks the current thread as working for a report that is read, as long as the object lasts.
// TaskPool hands the mark on to the workers of a loop.
class LoadScope {
  public:
    explicit LoadScope(LoadWatch* load); // null: for none
    ~LoadScope();
    LoadScope(const LoadScope&) = delete;
    LoadScope& operator=(const LoadScope&) = delete;
    static LoadWatch* current();
    // Whether so many bytes more fit into memory, for blocks that are allocated together; if not, the report
    // that the thread works for is stopped. True on other threads.
    static bool admit(uint64_t size_bytes);

  private:
    LoadWatch* const m_before;
};

} // namespace lockstep
