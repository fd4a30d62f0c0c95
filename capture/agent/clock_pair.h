// SPDX-License-Identifier: Apache-2.0
// Readings of several clocks of one node at one point in time, for clock offset measurement over a link and
// for the alignment of reports from the same boot.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::agent {

struct ClockReading {
    int64_t realtime_ns = 0;     // CLOCK_REALTIME, Unix epoch
    int64_t monotonic_ns = 0;    // CLOCK_MONOTONIC
    int64_t monotonicRaw_ns = 0; // CLOCK_MONOTONIC_RAW
    int64_t boottime_ns = 0;     // CLOCK_BOOTTIME
    int64_t uncertainty_ns = 0;  // all four were read within this much true time
    std::string bootId;          // boot ID of the Linux kernel; clocks are comparable if the IDs are equal
};

// Takes `tries` readings and returns the one with the least uncertainty.
ClockReading readClocks(int tries = 16);

// Returns CLOCK_MONOTONIC_RAW. This clock is never set or slewed, so it shows how far the clocks of two hosts
// drift apart.
int64_t rawClock_ns();

// A reading of the wall clock relative to the raw clock.
struct WallReading {
    int64_t raw_ns = 0;
    int64_t wall_ns = 0;         // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW at raw_ns
    uint32_t uncertainty_ns = 0; // error bound, plus or minus

    friend bool operator==(const WallReading&, const WallReading&) = default;
};
// Takes `tries` readings, each of which takes about 100 ns, and returns the one with the smallest error
// bound.
WallReading readWall(int tries = 4);

} // namespace lockstep::agent
