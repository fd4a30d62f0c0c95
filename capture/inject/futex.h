// SPDX-License-Identifier: Apache-2.0
// Waiting on a word of memory: what needs no symbol of a later glibc. Any thread.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace lockstep::capture {

// Until the word is no longer `seen`, somebody wakes, or the time is over; may return early.
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

} // namespace lockstep::capture
