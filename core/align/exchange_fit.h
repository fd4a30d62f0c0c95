// SPDX-License-Identifier: Apache-2.0
// ExchangeFit: what comparisons of clocks made during a run say of every clock domain of a workspace, against
// one reference domain: limits that hold whatever the network did, and a line through their middle. Made by
// fitExchange(), applied by applyExchange() (exchange_maps.h), kept with the Alignment. Units: ns on the
// coarse axis, see ClockPartition.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/host_clocks.h"
#include "core/base/workers.h"

namespace lockstep {

// How far the domain's coarse time is ahead of the reference's, at a coarse time of the domain.
using ExchangeKnot = OffsetLimit;

struct ExchangeStep {
    int64_t at_ns = 0;         // coarse time of the domain
    int64_t jump_ns = 0;       // the domain is ahead by so much more from then on
    int64_t partLength_ns = 0; // between two knots of the stretch in which it was
};

struct ExchangeDomain {
    std::vector<ExchangeKnot> knots; // by time, over all stamps of its reports; empty: nothing is known
    std::vector<ExchangeStep> steps; // where a wall clock was set that stamps follow
    int64_t slack_ns = 0;            // what the limits may widen by between two knots, either way
    std::string told;                // "7 rounds with gpu-00, the quickest took 31 us"; empty with no knots
    std::string doubt;               // what widens its limits, or is wrong; may be empty

    bool isMeasured() const { return !knots.empty(); }
};

struct ExchangeFit {
    uint32_t reference = 0;              // domain
    std::vector<ExchangeDomain> domains; // by domain
    uint64_t rounds = 0;
    uint64_t outliers = 0; // rounds that contradicted those around them
};

// preferred: the reference of the collectives, which is kept where its clock took part. Null without
// comparisons, or where fewer than two domains took part. O(stamps' seconds * log rounds) a domain.
std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const ClockPartition& partition,
                                               std::optional<uint32_t> preferred, const Workers& workers);

// A line with the domain's steps through its limits, and how far they are from it at most.
struct ExchangeLine {
    int64_t origin_ns = 0; // coarse time of the domain
    double offset_ns = 0;  // ahead at the origin, without steps
    double drift = 0;      // ns per ns
    int64_t bound_ns = 0;

    double at(int64_t at_ns, const std::vector<ExchangeStep>& steps) const;
};
ExchangeLine lineThrough(const ExchangeDomain& domain);

} // namespace lockstep
