// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/lane_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace lockstep::capture {

uint32_t LaneTable::count() const noexcept
{
    return std::min(m_count.load(std::memory_order_acquire), kMax);
}

bool LaneTable::useMemory(uint64_t size_bytes) noexcept
{
    if (m_used.fetch_add(size_bytes) + size_bytes <= m_limit) return true;
    m_used.fetch_sub(size_bytes);
    return false;
}

bool LaneTable::hasEnded() const noexcept
{
    for (uint32_t i = 0; i < count(); ++i) {
        const ThreadLane* const lane = at(i);
        if (lane != nullptr && lane->state.load(std::memory_order_relaxed) == LaneState::ended) return true;
    }
    return false;
}

// The ring size decreases as the memory fills up. About 64 threads get large rings, which hold the records of
// a thread while the writer is descheduled. The default limit leaves room for 2,500 more threads.
uint32_t LaneTable::nextRing_bytes() const noexcept
{
    const uint64_t used = m_used.load();
    const uint64_t left = m_limit > used ? m_limit - used : 0;
    const uint64_t share = left > m_limit / 2 ? left / 64 : left / 1024;
    uint32_t ring_bytes = ThreadLane::kLargestRing;
    while (ring_bytes > ThreadLane::kSmallestRing && ring_bytes > share)
        ring_bytes /= 2;
    return ring_bytes;
}

ThreadLane* LaneTable::take(Recorder* owner, int64_t tid) noexcept
{
    const uint32_t known = count();
    for (uint32_t i = 0; i < known; ++i) {
        ThreadLane* const lane = at(i);
        LaneState isFree = LaneState::free;
        if (lane == nullptr || !lane->state.compare_exchange_strong(isFree, LaneState::taken)) continue;
        lane->begin(owner, tid);
        return lane;
    }
    const uint32_t ring_bytes = nextRing_bytes();
    if (known >= kMax || !useMemory(ring_bytes)) return nullptr;
    ThreadLane* const lane = ThreadLane::map(ring_bytes);
    const uint32_t index = lane != nullptr ? m_count.fetch_add(1) : kMax;
    if (index >= kMax) {
        if (lane != nullptr) ThreadLane::unmap(lane);
        releaseBytes(ring_bytes);
        return nullptr;
    }
    lane->state.store(LaneState::taken);
    lane->begin(owner, tid);
    m_lanes[index].store(lane, std::memory_order_release);
    return lane;
}

// Does not use malloc(), because a signal handler may call this on a thread that it interrupted inside
// malloc().
HeapText* LaneTable::copyLong(std::string_view text) noexcept
{
    const uint64_t size_bytes = sizeof(HeapText) + text.size();
    if (!useMemory(size_bytes)) return nullptr;
    void* memory = MAP_FAILED;
    if (m_longTexts.fetch_add(1) < kMaxLong)
        memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        m_longTexts.fetch_sub(1);
        releaseBytes(size_bytes);
        return nullptr;
    }
    auto* const copy = static_cast<HeapText*>(memory);
    copy->size_bytes = text.size();
    std::memcpy(reinterpret_cast<char*>(copy) + offsetof(HeapText, text), text.data(), text.size());
    return copy;
}

void LaneTable::freeLong(HeapText* text) noexcept
{
    const uint64_t size_bytes = sizeof(HeapText) + text->size_bytes;
    munmap(text, size_bytes);
    m_longTexts.fetch_sub(1);
    releaseBytes(size_bytes);
}

} // namespace lockstep::capture
