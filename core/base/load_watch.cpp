// SPDX-License-Identifier: Apache-2.0
#include "core/base/load_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/base/memory_budget.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kWatchPeriod{10}, kWatchPeriodNear{1};
// Heap that a report may use in addition to its columns, even if other reports have reached the limit.
constexpr uint64_t kSlack_bytes = uint64_t(64) << 20;

thread_local LoadWatch* t_load = nullptr;

// All reports that this process is reading, oldest first. They share the memory of the process.
std::mutex g_loadsMutex;
std::vector<LoadWatch*> g_loads;

// Several reports may be read at once, and the process's memory use does not show which of them is large. The
// newest one is stopped first. The next one is stopped only after the first one has released its memory, or
// immediately if the limit is far exceeded. Reports on the heap are stopped before those on disk, which
// cannot be moved elsewhere.
void stopLoads(uint64_t own_bytes, uint64_t limit_bytes)
{
    constexpr uint64_t kExcess_parts = 16;
    const bool isFarAboveLimit = own_bytes > limit_bytes + limit_bytes / kExcess_parts;
    const std::scoped_lock lock(g_loadsMutex);
    for (const bool isOnDisk : {false, true}) {
        bool isAnyStopped = false;
        for (auto load = g_loads.rbegin(); load != g_loads.rend(); ++load) {
            if ((*load)->isOnDisk() != isOnDisk) continue;
            if (!(*load)->isOver() && own_bytes > (*load)->max_bytes()) (*load)->stop();
            isAnyStopped |= (*load)->isOver();
            if (isAnyStopped && !isFarAboveLimit) return;
        }
        if (isAnyStopped) return;
    }
}

} // namespace

LoadWatch::LoadWatch(uint64_t limit_bytes, bool isOnDisk)
    : m_limit_bytes(limit_bytes), m_isOnDisk(isOnDisk), m_before_bytes(privateMemory_bytes()),
      m_max_bytes(std::max(limit_bytes, m_before_bytes + kSlack_bytes))
{
    {
        const std::scoped_lock lock(g_loadsMutex);
        g_loads.push_back(this);
    }
    m_thread = std::jthread([this](const std::stop_token& isFinished) { watch(isFinished); });
}

LoadWatch::~LoadWatch()
{
    const std::scoped_lock lock(g_loadsMutex);
    std::erase(g_loads, this);
}

void LoadWatch::watch(const std::stop_token& isFinished)
{
    std::unique_lock lock(m_mutex);
    while (!isFinished.stop_requested()) {
        const uint64_t own_bytes = privateMemory_bytes();
        if (own_bytes > m_max_bytes) stopLoads(own_bytes, m_max_bytes);
        m_finished.wait_for(lock, isFinished, own_bytes > m_max_bytes / 2 ? kWatchPeriodNear : kWatchPeriod,
                            [] { return false; });
    }
}

bool LoadWatch::admit(uint64_t size_bytes)
{
    if (isOver()) return false;
    const uint64_t own_bytes = privateMemory_bytes();
    if (own_bytes <= m_max_bytes && size_bytes <= m_max_bytes - own_bytes) return true;
    stop();
    m_grown_bytes += size_bytes;
    return false;
}

void LoadWatch::stop()
{
    const uint64_t own_bytes = privateMemory_bytes();
    m_grown_bytes = own_bytes - std::min(own_bytes, m_before_bytes);
    m_stop.request_stop();
}

Status LoadWatch::status() const
{
    if (!isOver()) return {};
    return makeError(ErrorKind::io,
                     "needs more memory than the limit of " + byteText(static_cast<int64_t>(m_limit_bytes)) +
                         " allows",
                     HelpTopic::memoryLimit);
}

LoadScope::LoadScope(LoadWatch* load) : m_before(t_load)
{
    t_load = load;
}

LoadScope::~LoadScope()
{
    t_load = m_before;
}

LoadWatch* LoadScope::current()
{
    return t_load;
}

bool LoadScope::admit(uint64_t size_bytes)
{
    return t_load == nullptr || t_load->admit(size_bytes);
}

} // namespace lockstep

// Like the standard operator new, but with an additional check for large blocks that are allocated while a
// report is read.
void* operator new(std::size_t size)
{
    constexpr std::size_t kLarge_bytes = std::size_t(16) << 20;
    lockstep::LoadWatch* const load = size >= kLarge_bytes ? lockstep::LoadScope::current() : nullptr;
    if (load != nullptr && !load->admit(size)) throw std::bad_alloc();
    for (;;) {
        if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
