// SPDX-License-Identifier: Apache-2.0
// ClockFit: the offset of each clock domain from the reference domain, as a line with jumps, estimated from
// the ends of collectives, which nearly coincide. Created by fitClocks() from an AnchorTable. Contains the
// quality of the fit; judgeClocks() decides whether it may be used, and clock_bounds.h contains the
// guarantees.
#pragma once

#include <cstdint>
#include <vector>

#include "core/align/anchor_table.h"
#include "core/align/robust_statistics.h"
#include "core/base/workers.h"

namespace lockstep {

// Offset of one clock from the true axis, in ns, as a function of the time relative to
// AnchorTable::origin_ns. Positive if the clock is ahead.
struct ClockLine {
    double offset_ns = 0;         // at the origin
    double drift = 0;             // ns per ns
    std::vector<ClockJump> jumps; // sorted by time

    double at(double time_ns) const
    {
        double value = offset_ns + drift * time_ns;
        for (const ClockJump& jump : jumps) {
            if (time_ns >= jump.time_ns) value += jump.jump_ns;
        }
        return value;
    }
};

struct DomainFit {
    ClockLine line;
    bool isFitted = false; // false if there are fewer than 10 anchors; the line is then zero
    // Domains of one component are connected by collectives; each component has its own reference.
    uint32_t component = 0;
    uint32_t anchorCount = 0;
    uint32_t pairCount = 0; // sends and receives among the anchors
    // Number of groups of anchors that are separated by pauses. Residuals within a group are correlated.
    uint32_t burstCount = 0;
    double spread_ns = 0;      // robust deviation of the residuals
    double statistical_ns = 0; // standard error of the offset
    // Half the median spread of ends inside the domain, or the uncertainty of pairs if there are no other
    // anchors.
    double systematic_ns = 0;
    double driftError = 0; // standard error of the drift
};

struct ClockFit {
    std::vector<DomainFit> domains;
    std::vector<uint32_t> references; // by component: the domain whose clock stays unchanged
    // by moment: the common end on the reference clock; NaN if fewer than two of its domains are fitted
    std::vector<double> commonEnd_ns;
    double noise_ns = 0; // robust deviation of all residuals
    uint32_t rounds = 0;

    // Returns the component with the most fitted domains; on a tie, the first one.
    uint32_t largestComponent() const;
};

inline constexpr double kMaxDrift = 500e-6;
// Shorter windows cannot separate drift from noise, so only the offset is fitted.
inline constexpr double kDriftWindow_ns = 20e9;

// Fits the clocks. Domains that may not be the reference (because they have no wall clock) become the
// reference only if there are no others. O(anchors) per round; deterministic.
ClockFit fitClocks(const AnchorTable& table, const std::vector<bool>& isReferenceAllowed,
                   const Workers& workers);

// Returns the residual of an anchor under the fit in ns. A positive residual means that the domain's end is
// late.
double residualOf(const ClockFit& fit, const AnchorTable& table, const Anchor& anchor);

} // namespace lockstep
