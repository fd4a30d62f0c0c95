// SPDX-License-Identifier: Apache-2.0
// ClockBounds: what is certain of each clock, whatever the ends of collectives do: every end is after every
// start. Made by boundClocks() from anchors and a fit; the fit only levels the numbers and says which limit
// to drop when limits contradict each other. Intervals are of the domain's offset against its reference, ns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/align/clock_fit.h"
#include "core/align/limit_matrix.h"

namespace lockstep {

struct DomainBound {
    uint32_t reference =
        0; // the domain it is measured against; of unfitted domains that of the largest component
    std::optional<double> least_ns; // offset at the table's origin; absent: nothing holds it on that side
    std::optional<double> greatest_ns;
    std::optional<double>
        worst_ns;          // largest distance of the fitted line from the truth over the whole window
    double driftBound = 0; // |true - fitted drift|, as far as hard limits tell; capped at 100 ppm or less
    uint32_t violationsBefore =
        0; // collectives the domain ends before, or starts after, another by more than 1 us
    uint32_t violationsAfter = 0; // the same under the fitted line

    bool isTwoSided() const { return least_ns && greatest_ns; }
    double halfWidth_ns() const { return (*greatest_ns - *least_ns) / 2; }
};

struct ClockBounds {
    std::vector<DomainBound> domains;
    uint64_t momentCount = 0;
    uint64_t contradictions = 0;   // moments dropped because no clocks could satisfy them and the rest
    bool isContradictory = false;  // more than 1 % would have had to be dropped: nothing is certain
    uint64_t violationsBefore = 0; // collectives with any violation
    uint64_t violationsAfter = 0;
    // Upper limits between all pairs at the origin against the fitted difference, closed; null for more than
    // 2048 domains.
    std::shared_ptr<const LimitMatrix> pairs;
};

inline constexpr double kViolation_ns = 1'000;

// O(moments * domains^2) in vector operations for groups that span all domains, plus O(domains^3). Drift that
// the limits themselves do not exclude widens them with the distance from the origin.
ClockBounds boundClocks(const AnchorTable& table, const ClockFit& fit, const Workers& workers);

} // namespace lockstep
