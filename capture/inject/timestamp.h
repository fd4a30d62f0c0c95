// SPDX-License-Identifier: Apache-2.0
// Clocks of a capture file: CLOCK_MONOTONIC_RAW for every timestamp, paired with readings of CLOCK_REALTIME.
// Any thread.
#pragma once

#include <cstdint>
#include <ctime>

namespace lockstep::capture {

inline int64_t clock_ns(clockid_t clock) noexcept
{
    timespec time;
    clock_gettime(clock, &time);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline int64_t now_ns() noexcept
{
    return clock_ns(CLOCK_MONOTONIC_RAW);
}

// One point in time on three clocks.
struct ClockReading {
    int64_t raw_ns = 0;
    int64_t realtime_ns = 0;
    int64_t boottime_ns = 0;
    // Time between the two readings of the raw clock, which enclose the other readings.
    int64_t uncertainty_ns = INT64_MAX;
};

// Takes `tries` readings and returns the one with the least uncertainty.
inline ClockReading readClocks(int tries = 5) noexcept
{
    ClockReading best;
    for (int i = 0; i < tries; ++i) {
        const int64_t before = now_ns();
        ClockReading read;
        read.realtime_ns = clock_ns(CLOCK_REALTIME);
        read.boottime_ns = clock_ns(CLOCK_BOOTTIME);
        const int64_t after = now_ns();
        read.raw_ns = before + (after - before) / 2;
        read.uncertainty_ns = after - before;
        if (read.uncertainty_ns < best.uncertainty_ns) best = read;
    }
    return best;
}

} // namespace lockstep::capture
