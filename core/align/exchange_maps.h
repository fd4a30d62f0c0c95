// SPDX-License-Identifier: Apache-2.0
// Clock maps by comparisons of clocks during the run, on top of those by collectives. Used by alignReports()
// only.
//
// The rule. What collectives guarantee and what the exchange does must both hold, so the intersection does.
// An estimate by collectives (they see the clocks that stamps are made with) stays; its bound becomes the
// largest distance to the intersection's border, where that is less. Where collectives say too little for an
// estimate, the line through the middle of the exchange's limits is taken. Where the two leave nothing in
// common, one of the clocks is not what its file says: that is said, and what collectives say is kept, for
// they are of the stamps themselves; unless they were matched by their pattern alone: then the measured
// clocks are believed.
#pragma once

#include <memory>
#include <string>

#include "core/align/collective_fit.h"
#include "core/align/exchange_fit.h"

namespace lockstep {

// Against the collectives' reference where there is one; else against the first clock that took part.
std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const CollectiveFit& fit,
                                               const Workers& workers);

// maps: as mapsByCollectives() gives them.
void applyExchange(const ExchangeFit& exchange, const CollectiveFit& fit, ByReport<ClockMap>& maps);

// "2 clocks bounded by their exchange": for the alignment's basis.
std::string exchangeText(const ExchangeFit& exchange, const ByReport<ClockMap>& maps);

} // namespace lockstep
