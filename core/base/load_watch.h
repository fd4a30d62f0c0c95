// SPDX-License-Identifier: Apache-2.0
// LoadWatch stops reading one report when the memory of this process exceeds its limit. Files are compressed,
// repetitive and sometimes malicious, so the memory that a report needs is known only while it is read. A
// dedicated thread compares the memory of the process with the limit every 10 ms, or every millisecond near
// the limit. Large blocks are checked before they are allocated, because a list that doubles its size could
// far exceed the limit before the thread notices. This library's operator new performs this check for blocks
// of 16 MiB and more on threads that work for the report (LoadScope), and throws std::bad_alloc. Created by
// the code that reads a report; see readContents(). Any thread.
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
    // `limit_bytes` limits the memory of the process. `isOnDisk` means that the columns of the report are
    // already stored in files, so only the rest is on the heap.
    LoadWatch(uint64_t limit_bytes, bool isOnDisk);
    ~LoadWatch();
    LoadWatch(const LoadWatch&) = delete;
    LoadWatch& operator=(const LoadWatch&) = delete;

    // Returns a token whose stop is requested once the limit is exceeded.
    std::stop_token stopToken() const { return m_stop.get_token(); }
    bool isOver() const { return m_stop.stop_requested(); }
    bool isOnDisk() const { return m_isOnDisk; }
    // Returns the memory that the process may use while this report is read: the limit, or slightly more than
    // the initial use if the initial use already exceeds the limit.
    uint64_t max_bytes() const { return m_max_bytes; }
    // Returns the growth of the process's memory at the time of the stop.
    uint64_t grown_bytes() const { return m_grown_bytes.load(std::memory_order_relaxed); }
    // Returns true if `size_bytes` more bytes fit; otherwise stops the report.
    bool admit(uint64_t size_bytes);
    void stop();
    // Returns io, with the limit in the message, if the report was stopped.
    Status status() const;

  private:
    void watch(const std::stop_token& isFinished);

    const uint64_t m_limit_bytes;
    const bool m_isOnDisk;
    const uint64_t m_before_bytes;
    const uint64_t m_max_bytes;
    std::atomic<uint64_t> m_grown_bytes = 0;
    std::stop_source m_stop;
    std::mutex m_mutex;
    std::condition_variable_any m_finished;
    std::jthread m_thread; // last member: its thread ends before the others are destroyed
};

// LoadScope marks the current thread as working for a report that is being read, for the lifetime of the
// object. TaskPool passes the mark on to the workers of a loop.
class LoadScope {
  public:
    explicit LoadScope(LoadWatch* load); // null if the thread works for no report
    ~LoadScope();
    LoadScope(const LoadScope&) = delete;
    LoadScope& operator=(const LoadScope&) = delete;
    static LoadWatch* current();
    // Returns true if `size_bytes` more bytes fit, for blocks that are allocated together; otherwise stops
    // the report that this thread works for. Always true on other threads.
    static bool admit(uint64_t size_bytes);

  private:
    LoadWatch* const m_before;
};

} // namespace lockstep
