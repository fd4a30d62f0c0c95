// SPDX-License-Identifier: Apache-2.0
// AnchorTable: matched collectives, treated as events that several clocks observed. It has one row per
// collective and clock domain, merged over the ranks that share the domain's clock. Created by buildAnchors()
// and used by the fit, the bounds and the residual plots. Times are ns as double on the coarse axis (see
// ClockPartition), relative to origin_ns, the middle of the window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/align/collective_matching.h"

namespace lockstep {

// One domain's observation of one event: a collective of Dependency::all, or a pair that ends together. 40
// bytes.
struct Anchor {
    uint32_t domain = 0;
    uint32_t moment = 0;     // index in AnchorTable::moments
    double end_ns = 0;       // median end of the domain's ranks
    double firstEnd_ns = 0;  // smallest end, plus the slack for a pair: no rank may have started later
    double lastStart_ns = 0; // largest start: no rank may have ended earlier
    // largest minus smallest end, or 0 with one rank; for a pair, twice the uncertainty of the pair
    float spread_ns = 0;
    // true if the files record the group; otherwise the ranks are inferred from the pattern
    bool isStated = true;
};

struct AnchorMoment {
    double time_ns = 0;
    double transfer_ns = 0; // shortest duration over all ranks
    uint32_t firstAnchor = 0;
    uint32_t anchorCount = 0; // >= 2, ascending by domain
    uint32_t collective = 0;  // index in CollectiveMatches::collectives
    uint32_t group = 0;       // index in CollectiveMatches::groups
    bool isPair = false;      // true for a send and its receive, or for an exchange
    float pairNoise_ns = 0;   // for pairs: robust deviation of the end differences of such pairs
};

// A bound clock(later) - clock(earlier) <= limit_ns at time_ns, from sends, broadcasts and reductions with a
// known root.
struct OneSidedLimit {
    uint32_t later = 0;
    uint32_t earlier = 0;
    double limit_ns = 0;
    double time_ns = 0;
};

struct AnchorTable {
    int64_t origin_ns = 0; // coarse axis
    double halfWindow_ns = 0;
    uint32_t domainCount = 0;
    std::vector<AnchorMoment> moments; // sorted by time
    std::vector<Anchor> anchors;       // by moment
    std::vector<uint32_t> byDomain;    // indices of anchors, by domain, then time
    std::vector<uint32_t> domainFirst; // domainCount + 1 positions in byDomain
    std::vector<OneSidedLimit> oneSided;

    std::span<const Anchor> at(const AnchorMoment& m) const
    {
        return std::span(anchors).subspan(m.firstAnchor, m.anchorCount);
    }
    std::span<const uint32_t> ofDomain(uint32_t domain) const
    {
        return std::span(byDomain).subspan(domainFirst[domain],
                                           domainFirst[domain + 1] - domainFirst[domain]);
    }
};

// Builds the table. Omits collectives within one domain, because they carry no clock information.
AnchorTable buildAnchors(const CollectiveMatches& matches, const ClockPartition& partition);

// Moves the moments to new times (NaN = unchanged) and sorts them; the origin is unchanged. Drift must be
// multiplied by the time on a single clock. Otherwise clocks that are minutes apart would place the same
// event minutes apart.
void retime(AnchorTable& table, std::span<const double> time_ns);

} // namespace lockstep
