// SPDX-License-Identifier: Apache-2.0
#include "core/trace/clock_round.h"

#include <algorithm>
#include <array>

namespace lockstep {

bool isPlausibleRound(const ClockRound& round)
{
    // differences between two values up to this one cannot overflow
    constexpr int64_t kMax_ns = int64_t(1) << 61;
    constexpr uint32_t kMaxDoubt_ns = 1'000'000'000;
    constexpr int64_t kLongest_ns = 60'000'000'000;
    const std::array stamps{round.sent_ns, round.peerReceived_ns, round.peerSent_ns, round.received_ns};
    const auto isClock = [](int64_t ns) { return ns >= 0 && ns < kMax_ns; };
    const auto isWall = [](int64_t ns) { return ns > -kMax_ns && ns < kMax_ns; };
    if (!std::ranges::all_of(stamps, isClock) || !isWall(round.wall_ns) || !isWall(round.peerWall_ns))
        return false;
    if (round.uncertainty_ns > kMaxDoubt_ns || round.peerUncertainty_ns > kMaxDoubt_ns ||
        round.isOverLink > 1)
        return false;
    if (round.isReading()) return round.boot.isValid();
    return round.boot.isValid() && round.peerBoot.isValid() && round.received_ns >= round.sent_ns &&
           round.least_ns() <= round.greatest_ns() && round.greatest_ns() - round.least_ns() < kLongest_ns;
}

} // namespace lockstep
