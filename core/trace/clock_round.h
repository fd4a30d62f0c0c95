// SPDX-License-Identifier: Apache-2.0
// ClockRound: one comparison of a host's clocks with those of another host, made during a run (see
// capture/agent/clock_exchange.h) and stored with the host's event log. Written by the reader of run events
// and used by clock alignment. Times are in ns on CLOCK_MONOTONIC_RAW unless noted. 80 bytes.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace lockstep {

struct ClockRound {
    // name of the other host; invalid for a reading of this host's own wall clock at sent_ns
    StringId peer;
    StringId boot;     // boot ID from this host's Linux kernel; a different boot means a different clock
    StringId peerBoot; // invalid for a reading of the wall clock
    uint32_t uncertainty_ns = 0;     // uncertainty of wall_ns, plus or minus
    uint32_t peerUncertainty_ns = 0; // uncertainty of peerWall_ns
    uint32_t isOverLink = 0;         // 1 if the launcher measured the round over its connection
    int64_t sent_ns = 0;             // on this host's clock
    int64_t peerReceived_ns = 0;     // on the peer's clock
    int64_t peerSent_ns = 0;         // on the peer's clock
    int64_t received_ns = 0;         // on this host's clock
    // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW of this host at the time of the round
    int64_t wall_ns = 0;
    int64_t peerWall_ns = 0; // the same for the peer

    bool isReading() const { return !peer.isValid(); }
    // Returns the lower bound on how far the peer's clock is ahead.
    int64_t least_ns() const { return peerSent_ns - received_ns; }
    // Returns the upper bound on how far the peer's clock is ahead.
    int64_t greatest_ns() const { return peerReceived_ns - sent_ns; }

    friend bool operator==(const ClockRound&, const ClockRound&) = default;
};

// Returns true if timestamps are in a plausible range, nothing is received before it was sent, and boot IDs
// are present where required. All other data is corrupt.
bool isPlausibleRound(const ClockRound& round);

} // namespace lockstep
