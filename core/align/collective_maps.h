// SPDX-License-Identifier: Apache-2.0
// Creates clock maps from a partition and, if available, a collective fit: the modes automatic, collectives
// and host. Used only by alignReports().
#pragma once

#include <vector>

#include "core/align/collective_fit.h"

namespace lockstep {

// Maps each report by its own wall clock, or with method none if the report has no wall clock.
ByReport<ClockMap> mapsByWallClock(const Workspace& workspace, const ClockPartition& partition);
// Maps by clocks that are shared within a host, and otherwise like mapsByWallClock().
ByReport<ClockMap> mapsByHost(const Workspace& workspace, const ClockPartition& partition);
// Like mapsByHost(), but corrected by the fit's verdicts; the maps contain the reasons for rejections.
ByReport<ClockMap> mapsByCollectives(const Workspace& workspace, const CollectiveFit& fit);

// Likely and guaranteed error between two domains of a fit, neither of which needs to be the reference. Both
// are absent if no collective connects the domains.
struct DomainPairError {
    std::optional<double> likely_ns;
    std::optional<double> guaranteed_ns;
};
DomainPairError errorBetweenDomains(const CollectiveFit& fit, uint32_t a, uint32_t b);

} // namespace lockstep
