// SPDX-License-Identifier: Apache-2.0
#include "core/base/resident_limit.h"

#include <algorithm>
#include <chrono>

#include <sys/mman.h>

#include "core/base/memory_budget.h"

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kPeriod{10}, kPeriodNear{1};
constexpr size_t kChunk_bytes = size_t(64) << 20;

// Returns how much of the remaining room mapped pages may use. Only a part of the room is used, so that the
// next check comes in time. The Linux kernel maps 16 pages per access, so random access to a mapping can make
// a process grow by ten gigabytes per second.
constexpr uint64_t startsAt(uint64_t room_bytes)
{
    return room_bytes / 4;
}

constexpr uint64_t endsAt(uint64_t room_bytes)
{
    return room_bytes / 8;
}

} // namespace

ResidentLimit::ResidentLimit(uint64_t limit_bytes)
    : m_limit_bytes(limit_bytes), m_thread([this](std::stop_token stop) { watch(std::move(stop)); })
{
}

ResidentLimit::~ResidentLimit() = default;

void ResidentLimit::add(const void* begin, size_t size_bytes)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_ranges[static_cast<const char*>(begin)] = size_bytes;
    }
    m_changed.notify_all();
}

void ResidentLimit::remove(const void* begin)
{
    const std::scoped_lock lock(m_mutex);
    m_ranges.erase(static_cast<const char*>(begin));
}

uint64_t ResidentLimit::rounds() const
{
    const std::scoped_lock lock(m_mutex);
    return m_rounds;
}

void ResidentLimit::watch(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        m_changed.wait(lock, stop, [this] { return !m_ranges.empty(); });
        if (stop.stop_requested()) return;
        const MemoryUsage usage = currentMemoryUsage();
        const uint64_t room_bytes = m_limit_bytes - std::min<uint64_t>(m_limit_bytes, usage.own_bytes);
        if (usage.mappedFiles_bytes > startsAt(room_bytes)) releaseBytes(endsAt(room_bytes));
        const bool isNear = usage.mappedFiles_bytes > startsAt(room_bytes) / 2;
        m_changed.wait_for(lock, stop, isNear ? kPeriodNear : kPeriod, [] { return false; });
    }
}

// Releases pages piece by piece. Starts where the last round ended, because recently used pages are likely to
// be used again.
void ResidentLimit::releaseBytes(uint64_t end_bytes)
{
    ++m_rounds;
    auto range = m_ranges.upper_bound(m_next);
    if (range != m_ranges.begin()) --range; // the range that contains m_next, if any
    const char* at = range->first < m_next && m_next < range->first + range->second ? m_next : range->first;
    for (size_t visited = 0; visited <= m_ranges.size();) {
        const char* const end = range->first + range->second;
        const size_t chunk_bytes = std::min(kChunk_bytes, static_cast<size_t>(end - at));
        ::madvise(const_cast<char*>(at), chunk_bytes, MADV_DONTNEED);
        at += chunk_bytes;
        m_next = at;
        if (currentMemoryUsage().mappedFiles_bytes <= end_bytes) return;
        if (at < end) continue;
        ++visited;
        if (++range == m_ranges.end()) range = m_ranges.begin();
        at = range->first;
    }
}

} // namespace lockstep
