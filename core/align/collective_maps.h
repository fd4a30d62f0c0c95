// SPDX-License-Identifier: Apache-2.0
// Clock maps from a partition and, where there is one, a collective fit: the modes automatic, collectives and
// host. Used by alignReports() only.
#pragma once

#include <vector>

#include "core/align/collective_fit.h"

namespace lockstep {

// By each report's own wall clock; method none where none is stated.
ByReport<ClockMap> mapsByWallClock(const Workspace& workspace, const ClockPartition& partition);
// By clocks shared within a host, else as mapsByWallClock().
ByReport<ClockMap> mapsByHost(const Workspace& workspace, const ClockPartition& partition);
// As mapsByHost(), corrected by the fit's verdicts; reasons of refusal stand in the maps.
ByReport<ClockMap> mapsByCollectives(const Workspace& workspace, const CollectiveFit& fit);

// Likely and guaranteed error between two domains of a fit, which need not be the reference. Absent when no
// collective ties them together.
struct DomainPairError {
    std::optional<double> likely_ns;
    std::optional<double> guaranteed_ns;
};
DomainPairError errorBetweenDomains(const CollectiveFit& fit, uint32_t a, uint32_t b);

} // namespace lockstep
