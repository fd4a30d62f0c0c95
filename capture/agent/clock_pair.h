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

} // namespace lockstep::agent
