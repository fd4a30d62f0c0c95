// SPDX-License-Identifier: Apache-2.0
// ClockRound: one comparison of a host's clocks with another host's, made while a run went on (see
// capture/agent/clock_exchange.h), kept with the host's event log. Written by the reader of run events, read
// by the clock alignment. ns; CLOCK_MONOTONIC_RAW unless said. 80 bytes.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace lockstep {

struct ClockRound {
    StringId peer;     // name of the other host; invalid: a reading of the own wall clock alone, at sent_ns
    StringId boot;     // of this host's kernel: another boot is another clock
    StringId peerBoot; // invalid with a reading alone
    uint32_t doubt_ns = 0;       // of wall_ns, either way
    uint32_t peerDoubt_ns = 0;   // of peerWall_ns
    uint32_t isOverLink = 0;     // 1: made by the launcher over its link
    int64_t sent_ns = 0;         // by this host
    int64_t peerReceived_ns = 0; // peer's clock
    int64_t peerSent_ns = 0;     // peer's clock
    int64_t received_ns = 0;     // by this host
    int64_t wall_ns = 0;         // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW of this host then
    int64_t peerWall_ns = 0;     // of the peer

    bool isReading() const { return !peer.isValid(); }
    // The peer's clock is ahead by at least this ...
    int64_t least_ns() const { return peerSent_ns - received_ns; }
    // ... and at most this.
    int64_t greatest_ns() const { return peerReceived_ns - sent_ns; }

    friend bool operator==(const ClockRound&, const ClockRound&) = default;
};

// Stamps within what clocks can say, none received before it was sent, boots where they must be: what is not
// so is damage.
bool isPlausibleRound(const ClockRound& round);

} // namespace lockstep
