// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_pair.h"

#include <algorithm>
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

int64_t rawClock_ns()
{
    return now_ns(CLOCK_MONOTONIC_RAW);
}

WallReading readWall(int tries)
{
    WallReading best;
    int64_t tightest_ns = std::numeric_limits<int64_t>::max();
    for (int i = 0; i < tries; ++i) {
        const int64_t before_ns = rawClock_ns();
        const int64_t real_ns = now_ns(CLOCK_REALTIME);
        const int64_t after_ns = rawClock_ns();
        if (after_ns - before_ns >= tightest_ns) continue;
        tightest_ns = after_ns - before_ns;
        const int64_t middle_ns = before_ns + tightest_ns / 2;
        const int64_t uncertainty_ns =
            std::min<int64_t>(tightest_ns / 2 + 1, std::numeric_limits<uint32_t>::max());
        best = {middle_ns, real_ns - middle_ns, static_cast<uint32_t>(uncertainty_ns)};
    }
    return best;
}

} // namespace lockstep::agent
