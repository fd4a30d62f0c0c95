// SPDX-License-Identifier: Apache-2.0
// PairEnds: how closely the sends and receives of two ranks end together, measured from the ends themselves.
// The NCCL sender copies until the receiver has accepted what does not fit the buffers, so both kernels of a
// pair end within the time of the last blocks, unless the message fits the buffers and the sender leaves
// early. Files do not record which case applies; the scatter of the ends shows it. Created by
// measurePairEnds() for one matched group.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace lockstep {

struct PairEnds {
    uint32_t pairCount = 0; // pairs that were matched and are long enough to use
    // pairs within kPairOutlier scatters of the other pairs, i.e. pairs that end together
    uint32_t usedCount = 0;
    double separation_ns = 0; // median |difference of the two ends| according to the recorded clocks
    double scatter_ns = 0;    // median |residual| of the differences about a line
    // Assumed bound on the difference between the ends of a pair without a recorded direction: neither end is
    // earlier than the other part's start minus this value. Infinity means that the ends give no bounds. This
    // is the case if the direction is recorded (then only the receiver is bounded, exactly), or if ranks
    // without an open report may be involved.
    double slack_ns = std::numeric_limits<double>::infinity();

    bool isUsed() const { return usedCount > 0; }
};

inline constexpr double kPairOutlier = 6; // a pair further off than this many scatters did not end together
// scatters by which the ends of a pair may differ, used for bounds
inline constexpr double kPairSlack = 8;
// scatters by which all pairs together may be off, used for the estimate
inline constexpr double kPairUncertainty = 3;
// Lower bound, because the delay of a one-way path is indistinguishable from a clock offset.
inline constexpr double kPairFloor_ns = 50'000;

// Returns "33 send/receive pairs whose end times are 22 us apart in the median" for such pairs.
std::string pairEndsText(const PairEnds& ends);

} // namespace lockstep
