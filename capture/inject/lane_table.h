// SPDX-License-Identifier: Apache-2.0
// LaneTable: the lanes of a process and the memory that they, long texts and GPU buffers share, with its
// limit. Any thread may take from it, without a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "capture/inject/thread_lane.h"

namespace lockstep::capture {

class LaneTable {
  public:
    static constexpr uint32_t kMost = 4096;
    static constexpr uint32_t kMostLong =
        4096; // the kernel limits a process's mappings, to 65,530 by default

    explicit LaneTable(uint64_t limit_bytes) : m_limit(limit_bytes) {}

    uint32_t count() const noexcept;
    ThreadLane* at(uint32_t index) const noexcept { return m_lanes[index].load(std::memory_order_acquire); }
    // One that ended and is written, else a new one; nullptr without room.
    ThreadLane* take(Recorder* owner, int64_t tid) noexcept;

    // True where lanes of threads that ended are not drained yet.
    bool hasEnded() const noexcept;

    // False when that much would be over the limit.
    bool useMemory(uint64_t size_bytes) noexcept;
    void giveBack(uint64_t size_bytes) noexcept { m_used.fetch_sub(size_bytes); }
    // Memory mapped for this text alone, at most kMostLong at a time. nullptr without room.
    HeapText* copyLong(std::string_view text) noexcept;
    void freeLong(HeapText* text) noexcept;

    LaneLosses noRing; // records of threads that found no room for a lane

  private:
    uint32_t nextRing_bytes() const noexcept;

    const uint64_t m_limit;
    std::atomic<uint64_t> m_used{0};
    std::atomic<uint32_t> m_longTexts{0};
    std::atomic<uint32_t> m_count{0};
    std::atomic<ThreadLane*> m_lanes[kMost] = {};
};

} // namespace lockstep::capture
