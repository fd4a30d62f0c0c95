// SPDX-License-Identifier: Apache-2.0
// LaneTable holds the lanes of a process and limits the memory that lanes, long strings and GPU buffers
// share. Any thread may allocate from it, without a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "capture/inject/thread_lane.h"

namespace lockstep::capture {

class LaneTable {
  public:
    static constexpr uint32_t kMax = 4096;
    static constexpr uint32_t kMaxLong =
        4096; // Linux limits the number of memory mappings of a process, to 65,530 by default

    explicit LaneTable(uint64_t limit_bytes) : m_limit(limit_bytes) {}

    uint32_t count() const noexcept;
    ThreadLane* at(uint32_t index) const noexcept { return m_lanes[index].load(std::memory_order_acquire); }
    // Returns a lane whose thread has ended and whose records are all written, otherwise a new lane. Returns
    // nullptr if there is no room.
    ThreadLane* take(Recorder* owner, int64_t tid) noexcept;

    // Returns true if lanes of ended threads have not been drained yet.
    bool hasEnded() const noexcept;

    // Reserves that much memory. Returns false if that would exceed the limit.
    bool useMemory(uint64_t size_bytes) noexcept;
    void releaseBytes(uint64_t size_bytes) noexcept { m_used.fetch_sub(size_bytes); }
    // Copies the string to its own memory mapping. At most kMaxLong copies may exist at a time. Returns
    // nullptr if there is no room.
    HeapText* copyLong(std::string_view text) noexcept;
    void freeLong(HeapText* text) noexcept;

    LaneLosses noRing; // records of threads that have no lane for lack of room

  private:
    uint32_t nextRing_bytes() const noexcept;

    const uint64_t m_limit;
    std::atomic<uint64_t> m_used{0};
    std::atomic<uint32_t> m_longTexts{0};
    std::atomic<uint32_t> m_count{0};
    std::atomic<ThreadLane*> m_lanes[kMax] = {};
};

} // namespace lockstep::capture
