// SPDX-License-Identifier: Apache-2.0
// ResidentLimit: keeps the memory of this process below a number by giving back pages of mapped files, whose
// content the kernel keeps in its page cache or on disk and brings back when they are touched again. One for
// a program, made by whoever starts it; a thread of its own looks every 10 ms while anything is mapped, every
// millisecond near the limit.
// Ranges are added and removed from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace lockstep {

class ResidentLimit {
  public:
    explicit ResidentLimit(uint64_t limit_bytes);
    ~ResidentLimit();
    ResidentLimit(const ResidentLimit&) = delete;
    ResidentLimit& operator=(const ResidentLimit&) = delete;

    uint64_t limit_bytes() const { return m_limit_bytes; }
    void setLimit(uint64_t limit_bytes) { m_limit_bytes = limit_bytes; }
    // A mapping of a file, shared or never written: what is given back of it must not be lost.
    void add(const void* begin, size_t size_bytes);
    // Before it is unmapped.
    void remove(const void* begin);
    // How often pages were given back; for tests.
    uint64_t rounds() const;

  private:
    void watch(std::stop_token stop);
    void giveBack(uint64_t end_bytes);

    std::atomic<uint64_t> m_limit_bytes;
    mutable std::mutex m_mutex; // also while pages are given back: a range that is removed must be left alone
    std::condition_variable_any m_changed;
    std::map<const char*, size_t> m_ranges;
    const char* m_next = nullptr; // where the next round goes on
    uint64_t m_rounds = 0;
    std::jthread m_thread; // last: ends before the rest goes
};

} // namespace lockstep
