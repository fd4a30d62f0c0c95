// SPDX-License-Identifier: Apache-2.0
// Readings of several clocks of one node at one moment: what offset measurement over a link and same-boot
// alignment of reports need.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::agent {

struct ClockReading {
    int64_t realtime_ns = 0;     // CLOCK_REALTIME, Unix epoch
    int64_t monotonic_ns = 0;    // CLOCK_MONOTONIC
    int64_t monotonicRaw_ns = 0; // CLOCK_MONOTONIC_RAW
    int64_t boottime_ns = 0;     // CLOCK_BOOTTIME
    int64_t uncertainty_ns = 0;  // all four lie within this much of each other in true time
    std::string bootId;          // of the kernel; equal ids mean comparable clocks
};

// The tightest of `tries` readings.
ClockReading readClocks(int tries = 16);

// CLOCK_MONOTONIC_RAW now: never set nor slewed, it alone tells how far two hosts' clocks run apart.
int64_t rawClock_ns();

// The wall clock against the raw one.
struct WallReading {
    int64_t raw_ns = 0;
    int64_t wall_ns = 0;   // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW then
    uint32_t doubt_ns = 0; // either way

    friend bool operator==(const WallReading&, const WallReading&) = default;
};
// The tightest of `tries`; about 100 ns each.
WallReading readWall(int tries = 4);

} // namespace lockstep::agent
