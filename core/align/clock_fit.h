// SPDX-License-Identifier: Apache-2.0
// ClockFit: how far each clock domain is ahead of the reference domain, as a line with jumps, estimated from
// the near coincidence of a collective's ends. Made by fitClocks() from an AnchorTable. Says how well it
// fits; whether it may be used is decided in clock_verdict.h, what is guaranteed stands in clock_bounds.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/align/anchor_table.h"
#include "core/align/change_points.h"
#include "core/base/workers.h"

namespace lockstep {

// Offset of one clock against the true axis at a time relative to AnchorTable::origin_ns. ns.
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
    bool isFitted = false;  // false: fewer than 10 anchors, or none; line stays zero
    uint32_t component = 0; // domains of one component are linked by collectives; each has its own reference
    uint32_t anchorCount = 0;
    uint32_t pairCount = 0;    // of these, sends and receives
    uint32_t burstCount = 0;   // stretches of anchors with pauses between: residuals inside one are alike
    double spread_ns = 0;      // robust deviation of the residuals
    double statistical_ns = 0; // standard error of the offset
    double systematic_ns = 0; // half the median spread of ends inside the domain, or the doubt of pairs where
                              // there is nothing else: what ends may differ by
    double driftError = 0;    // standard error of the drift
};

struct ClockFit {
    std::vector<DomainFit> domains;
    std::vector<uint32_t> references; // by component: the domain that stays where it is
    std::vector<double>
        meeting_ns; // by moment: when all ended, on the reference's clock; NaN without two fitted domains
    double noise_ns = 0; // robust deviation of all residuals
    uint32_t rounds = 0;

    // The component with the most fitted domains, the first of several.
    uint32_t largestComponent() const;
};

inline constexpr double kMaxDrift = 500e-6;
inline constexpr double kDriftWindow_ns = 20e9; // shorter windows cannot tell drift from noise: offset only

// Domains whose clock must not serve as reference (they state no wall clock) are passed over while there are
// others. O(anchors) a round; deterministic.
ClockFit fitClocks(const AnchorTable& table, const std::vector<bool>& isReferenceAllowed,
                   const Workers& workers);

// Residual of an anchor under the fit: positive = the domain's end is late. ns.
double residualOf(const ClockFit& fit, const AnchorTable& table, const Anchor& anchor);

} // namespace lockstep
