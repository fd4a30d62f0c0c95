// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/writer_queue.h"

#include <climits>
#include <ctime>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/inject/call_state.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

// Limit on reports waiting to be written; writing each takes some 100 us.
constexpr size_t kMaxCommands = 65'536;
constexpr int64_t kLate_ns = 2'000'000'000;

// Waits on a memory word (futex) without depending on symbols from a newer glibc. Blocks until the word
// differs from `seen`, until a wake-up, or until the time is over. May return early.
inline void futexWait(std::atomic<uint32_t>& word, uint32_t seen, int64_t most_ns) noexcept
{
    if (most_ns <= 0) return;
    const timespec time{most_ns / 1'000'000'000, most_ns % 1'000'000'000};
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

inline void futexWakeAll(std::atomic<uint32_t>& word) noexcept
{
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

bool WriterQueue::isFull()
{
    const std::lock_guard lock(m_mutex);
    return m_commands.size() >= kMaxCommands;
}

void WriterQueue::push(WriterCommand command)
{
    const std::lock_guard lock(m_mutex);
    m_commands.push_back(std::move(command));
}

bool WriterQueue::next(WriterCommand& command, bool takes)
{
    const std::lock_guard lock(m_mutex);
    if (m_commands.empty()) return false;
    command = m_commands.front();
    if (takes) m_commands.pop_front();
    return true;
}

void WriterQueue::wake() noexcept
{
    const ErrnoGuard errnoGuard;
    m_wakes.fetch_add(1);
    futexWakeAll(m_wakes);
}

void WriterQueue::sleep(int64_t most_ns) noexcept
{
    const uint32_t seen = m_wakes.load();
    if (isEnding() || m_requestedRound.load() != m_roundDone.load()) return;
    futexWait(m_wakes, seen, most_ns);
}

void WriterQueue::notifyDrained(uint64_t round) noexcept
{
    m_roundDone.store(round);
    m_drains.fetch_add(1);
    futexWakeAll(m_drains);
}

void WriterQueue::waitForDrain(uint32_t seen, int64_t most_ns) noexcept
{
    futexWait(m_drains, seen, most_ns);
}

void WriterQueue::waitForRound(int64_t limit_ns) noexcept
{
    const uint64_t round = m_requestedRound.fetch_add(1) + 1;
    const int64_t until_ns = now_ns() + limit_ns;
    while (m_roundDone.load() < round && now_ns() < until_ns) {
        const uint32_t seen = drains();
        wake();
        if (m_roundDone.load() < round) waitForDrain(seen, 10'000'000);
    }
}

void WriterQueue::requestEnd() noexcept
{
    int64_t notYet = 0;
    m_ending_ns.compare_exchange_strong(notYet, now_ns());
    m_isEnding.store(true);
}

bool WriterQueue::isLate() const noexcept
{
    const int64_t ending_ns = m_ending_ns.load();
    return ending_ns != 0 && now_ns() > ending_ns + kLate_ns;
}

int64_t WriterQueue::roundEnd_ns() const noexcept
{
    const int64_t ending_ns = m_ending_ns.load();
    return ending_ns != 0 ? ending_ns : now_ns();
}

} // namespace lockstep::capture
