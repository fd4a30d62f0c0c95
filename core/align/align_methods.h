// SPDX-License-Identifier: Apache-2.0
// The clock maps of each AlignMethod: by wall clocks and hosts, by collectives, by clock exchange, and memory
// snapshots by the clock of their process. Used by alignReports(); pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/align/clock_map.h"
#include "core/align/collective_fit.h"
#include "core/align/exchange_fit.h"
#include "core/trace/workspace.h"

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

// Applies the clock exchange of a run to clock maps from collectives.
//
// Rule: the guarantees from collectives and from the exchange both hold, so the true offset is in their
// intersection. An estimate from collectives is kept, because collectives use the same clocks as the
// timestamps; its bound becomes the largest distance to the edge of the intersection, if that is smaller. If
// collectives are too few for an estimate, the line through the middle of the exchange bounds is used. If the
// intersection is empty, one of the clocks is not the one its file records: the reason mentions this, and the
// result from collectives is used, because collectives refer to the timestamps themselves. If the collectives
// were matched only by pattern, the measured clocks are used instead.

// Fits against the reference of the collectives if there is one, otherwise against the first clock that took
// part.
std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const CollectiveFit& fit,
                                               const Workers& workers);

// Applies the exchange to `maps`, the result of mapsByCollectives().
void applyExchange(const ExchangeFit& exchange, const CollectiveFit& fit, ByReport<ClockMap>& maps);

// Returns a description of the basis of the alignment, "2 clocks bounded by ...".
std::string exchangeText(const ExchangeFit& exchange, const ByReport<ClockMap>& maps);

// Aligns memory snapshots, which have wall-clock timestamps and contain no collectives. If another report of
// the same process, with the same wall clock, was aligned by a better method, the snapshot uses that
// alignment. Maps of other methods stay unchanged. If the process has several reports, the one
// with the longest overlap is used; on a tie, the first one.
void alignSnapshots(const Workspace& workspace, ByReport<ClockMap>& maps);

} // namespace lockstep
