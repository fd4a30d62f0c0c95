// SPDX-License-Identifier: Apache-2.0
#include "core/base/resident_limit.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sys/mman.h>

#include "core/base/memory_budget.h"

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kPeriod{10};
constexpr size_t kPiece_bytes = size_t(64) << 20;

// Some room below the limit, so that the next look comes in time.
constexpr uint64_t startsAt(uint64_t limit_bytes)
{
    return limit_bytes / 8 * 7;
}

constexpr uint64_t endsAt(uint64_t limit_bytes)
{
    return limit_bytes / 8 * 5;
}

} // namespace

ResidentLimit::ResidentLimit(uint64_t limit_bytes, std::function<uint64_t()> measure_bytes)
    : m_limit_bytes(limit_bytes),
      m_measure_bytes(measure_bytes ? std::move(measure_bytes) : residentMemory_bytes),
      m_thread([this](std::stop_token stop) { watch(std::move(stop)); })
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
        if (m_measure_bytes() > startsAt(m_limit_bytes)) giveBack();
        m_changed.wait_for(lock, stop, kPeriod, [] { return false; });
    }
}

// Range after range, from where the last round ended: what was touched last is mostly touched again.
void ResidentLimit::giveBack()
{
    ++m_rounds;
    auto range = m_ranges.lower_bound(m_next);
    for (size_t looked = 0; looked < m_ranges.size(); ++looked, ++range) {
        if (range == m_ranges.end()) range = m_ranges.begin();
        const auto& [begin, size_bytes] = *range;
        for (size_t at = 0; at < size_bytes; at += kPiece_bytes) {
            char* const piece = const_cast<char*>(begin) + at;
            ::madvise(piece, std::min(kPiece_bytes, size_bytes - at), MADV_DONTNEED);
        }
        m_next = begin + 1;
        if (m_measure_bytes() <= endsAt(m_limit_bytes)) return;
    }
}

} // namespace lockstep
