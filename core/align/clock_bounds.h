// SPDX-License-Identifier: Apache-2.0
// ClockBounds: guaranteed bounds of each clock, regardless of how much the ends of collectives scatter. The
// bounds follow from the rule that every end is after every start. Created by boundClocks() from anchors and
// a fit; the fit only keeps the numbers small and decides which bounds to drop if bounds contradict each
// other. Intervals are the domain's offset against its reference, in ns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/align/clock_fit.h"
#include "core/align/limit_matrix.h"

namespace lockstep {

struct DomainBound {
    // reference domain; for unfitted domains, the reference of the largest component
    uint32_t reference = 0;
    std::optional<double> least_ns; // offset at the table's origin; absent if unbounded on this side
    std::optional<double> greatest_ns;
    std::optional<double> worst_ns; // largest error of the fitted line over the whole window
    // bound on |true - fitted drift| that follows from hard bounds; at most 100 ppm
    double driftBound = 0;
    // collectives in which the domain ends before another domain starts, or starts after another ends, by
    // more than 1 us
    uint32_t violationsBefore = 0;
    uint32_t violationsAfter = 0; // same count under the fitted line

    bool isTwoSided() const { return least_ns && greatest_ns; }
    double halfWidth_ns() const { return (*greatest_ns - *least_ns) / 2; }
};

struct ClockBounds {
    std::vector<DomainBound> domains;
    uint64_t momentCount = 0;
    // Moments dropped because no clock offsets could satisfy both them and the others.
    uint64_t contradictions = 0;
    // more than 1% of the moments would have to be dropped, so nothing is certain
    bool isContradictory = false;
    uint64_t violationsBefore = 0; // collectives with any violation
    uint64_t violationsAfter = 0;
    // Upper bounds between all pairs at the origin relative to the fitted difference, after closure; null for
    // more than 2048 domains.
    std::shared_ptr<const LimitMatrix> pairs;
};

inline constexpr double kViolation_ns = 1'000;

// Computes the bounds. O(moments * domains^2) in vector operations for groups that span all domains, plus
// O(domains^3). Drift that the bounds do not exclude widens them in proportion to the distance from the
// origin. Returns the bounds or `canceled`.
Result<ClockBounds> boundClocks(const AnchorTable& table, const ClockFit& fit, const Progress& progress);

} // namespace lockstep
