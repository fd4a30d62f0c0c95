// SPDX-License-Identifier: Apache-2.0
// Waits on a memory word (futex) without depending on symbols from a newer glibc. Any thread.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace lockstep::capture {

// Blocks until the word differs from `seen`, until a wake-up, or until the time is over. May return early.
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
