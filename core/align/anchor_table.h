// SPDX-License-Identifier: Apache-2.0
// AnchorTable: matched collectives as moments seen by several clocks: one row per collective and clock
// domain, joined over the ranks that share the domain's clock. Made by buildAnchors(), read by the fit, the
// bounds and the residual plots. Times are ns as double on the coarse axis (see ClockPartition), relative to
// origin_ns, the window's middle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/align/collective_matching.h"

namespace lockstep {

// What one domain saw of one moment: a collective of Dependency::all, or a pair that ends together. 40 bytes.
struct Anchor {
    uint32_t domain = 0;
    uint32_t moment = 0;     // index in AnchorTable::moments
    double end_ns = 0;       // median end of the domain's ranks
    double firstEnd_ns = 0;  // the least end, a pair's slack added: nobody may have started later
    double lastStart_ns = 0; // the greatest start: nobody may have ended earlier
    float spread_ns = 0;     // greatest minus least end, 0 with one rank; of a pair twice its doubt
    bool isStated = true;    // the files name the group; else the pattern alone says that these ranks met
};

struct AnchorMoment {
    double time_ns = 0;
    double transfer_ns = 0; // shortest duration over all ranks
    uint32_t firstAnchor = 0;
    uint32_t anchorCount = 0; // >= 2, ascending by domain
    uint32_t collective = 0;  // index in CollectiveMatches::collectives
    uint32_t group = 0;       // index in CollectiveMatches::groups
    bool isPair = false;      // a send and its receive, or an exchange
    float pairNoise_ns = 0;   // of pairs: robust deviation of the ends of such pairs
};

// clock(later) - clock(earlier) <= limit_ns at time_ns: from sends, broadcasts and reductions with a stated
// root.
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

// Collectives that only one domain took part in say nothing about clocks and are left out.
AnchorTable buildAnchors(const CollectiveMatches& matches, const ClockPartition& partition);

// Puts the moments at new times (NaN = keep) and in their order; the origin stays. What a drift is multiplied
// with must be one clock's time, and clocks that are minutes apart put their moments minutes apart.
void retime(AnchorTable& table, std::span<const double> time_ns);

} // namespace lockstep
