// SPDX-License-Identifier: Apache-2.0
// PairEnds: how closely the sends and receives of two ranks end together, measured from their own ends.
// NCCL's sender copies until the receiver has taken what fits no buffer, so both kernels of a pair end within
// the time of the last blocks, unless the message fits the buffers and the sender leaves early. Nothing in a
// file says which it was; the scatter of the ends does. Made by measurePairEnds() for one matched group.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace lockstep {

struct PairEnds {
    uint32_t pairCount = 0; // that were matched and are long enough to use
    uint32_t usedCount = 0; // of these, within kPairOutlier scatters of the others: they end together
    double apart_ns = 0;    // median |difference of the two ends| by the clocks as stated
    double scatter_ns = 0;  // median |residual| of the differences about a line
    // The ends of a pair nobody states a direction of are taken to differ by no more than this: neither end
    // is earlier than the other's start less it. Infinity: they bound nothing, being stated (the receiver
    // alone is bound, exactly) or possibly of more ranks than are open.
    double slack_ns = std::numeric_limits<double>::infinity();

    bool isUsed() const { return usedCount > 0; }
};

inline constexpr double kPairOutlier = 6;       // scatters beyond which a pair did not end together
inline constexpr double kPairSlack = 8;         // scatters that its ends may differ by in bounds
inline constexpr double kPairDoubt = 3;         // scatters that all of them may be off by, for the estimate
inline constexpr double kPairFloor_ns = 50'000; // and never below: a one-way path's delay hides in the clock

// "33 pairs of send and receive end 22 us apart in the median".
std::string pairEndsText(const PairEnds& ends);

} // namespace lockstep
