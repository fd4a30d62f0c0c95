// SPDX-License-Identifier: Apache-2.0
// ResidentLimit keeps the memory of this process below a limit by releasing pages of mapped files. The Linux
// kernel keeps their content in the page cache or on disk and reloads them on access. Created by
// SpillFolder::limit(), once for each program with a memory limit. A dedicated thread checks every 10 ms
// while anything is mapped, or every millisecond near the limit. Any thread may add and remove ranges.
//
// Idea: private memory cannot be released, so mapped pages may use a part of the rest. If they use a quarter
// of it, pages are released down to an eighth, round robin over all ranges, because recently used pages are
// likely to be used again. Invariant: only pages whose content is in a file are released. Cost: one system
// call for 64 MiB of mapped range.
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
    // Adds a file mapping. The mapping must be shared or never written, because releasing its pages would
    // otherwise lose data.
    void add(const void* begin, size_t size_bytes);
    // Removes a mapping; call it before unmapping.
    void remove(const void* begin);
    // Returns how many times pages were released; for tests.
    uint64_t rounds() const;

  private:
    void watch(std::stop_token stop);
    void releaseBytes(uint64_t end_bytes);

    std::atomic<uint64_t> m_limit_bytes;
    // also held while pages are released, because a removed range must not be touched
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<const char*, size_t> m_ranges;
    const char* m_next = nullptr; // where the next round continues
    uint64_t m_rounds = 0;
    std::jthread m_thread; // last member: its thread ends before the others are destroyed
};

} // namespace lockstep
