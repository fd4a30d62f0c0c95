// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_pair.h"

#include <ctime>
#include <fstream>
#include <limits>

namespace lockstep::agent {

namespace {

int64_t now_ns(clockid_t clock)
{
    timespec time = {};
    clock_gettime(clock, &time);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace

ClockReading readClocks(int tries)
{
    ClockReading best;
    best.uncertainty_ns = std::numeric_limits<int64_t>::max();
    for (int i = 0; i < tries; ++i) {
        ClockReading reading;
        const int64_t before = now_ns(CLOCK_MONOTONIC_RAW);
        reading.realtime_ns = now_ns(CLOCK_REALTIME);
        reading.monotonic_ns = now_ns(CLOCK_MONOTONIC);
        reading.boottime_ns = now_ns(CLOCK_BOOTTIME);
        reading.monotonicRaw_ns = now_ns(CLOCK_MONOTONIC_RAW);
        reading.uncertainty_ns = reading.monotonicRaw_ns - before;
        if (reading.uncertainty_ns < best.uncertainty_ns) best = reading;
    }
    std::ifstream("/proc/sys/kernel/random/boot_id") >> best.bootId;
    return best;
}

} // namespace lockstep::agent
