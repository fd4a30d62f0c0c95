// SPDX-License-Identifier: Apache-2.0
// Applies the clock exchange of a run to clock maps from collectives. Used only by alignReports().
//
// Rule: the guarantees from collectives and from the exchange both hold, so the true offset is in their
// intersection. An estimate from collectives is kept, because collectives use the same clocks as the
// timestamps; its bound becomes the largest distance to the edge of the intersection, if that is smaller. If
// collectives are too few for an estimate, the line through the middle of the exchange bounds is used. If the
// intersection is empty, one of the clocks is not the one its file records: the reason mentions this, and the
// result from collectives is used, because collectives refer to the timestamps themselves. If the collectives
// were matched only by pattern, the measured clocks are used instead.
#pragma once

#include <memory>
#include <string>

#include "core/align/collective_fit.h"
#include "core/align/exchange_fit.h"

namespace lockstep {

// Fits against the reference of the collectives if there is one, otherwise against the first clock that took
// part.
std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const CollectiveFit& fit,
                                               const Workers& workers);

// Applies the exchange to `maps`, the result of mapsByCollectives().
void applyExchange(const ExchangeFit& exchange, const CollectiveFit& fit, ByReport<ClockMap>& maps);

// Returns a description of the basis of the alignment, "2 clocks bounded by ...".
std::string exchangeText(const ExchangeFit& exchange, const ByReport<ClockMap>& maps);

} // namespace lockstep
