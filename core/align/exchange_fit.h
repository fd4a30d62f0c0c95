// SPDX-License-Identifier: Apache-2.0
// ExchangeFit: the offsets of all clock domains of a workspace from one reference domain, according to the
// clock exchange during a run: bounds that hold for any network delay, and a line through their middle.
// Created by fitExchange(), applied by applyExchange(), stored with the Alignment. Units:
// ns on the coarse axis, see ClockPartition.
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

// Range of the domain's coarse time minus the reference's coarse time, at a coarse time of the domain.
// Positive if the domain is ahead.
using ExchangeKnot = OffsetLimit;

struct ExchangeStep {
    int64_t at_ns = 0;         // coarse time of the domain
    int64_t jump_ns = 0;       // from then on the domain is ahead by this much more
    int64_t partLength_ns = 0; // distance between the knots before and after the step
};

struct ExchangeDomain {
    // sorted by time, covering all timestamps of the domain's reports; empty if unknown
    std::vector<ExchangeKnot> knots;
    std::vector<ExchangeStep> steps; // steps of the wall clocks that the timestamps follow
    int64_t slack_ns = 0;            // possible widening of the bounds between two knots, on both sides
    std::string evidence;            // "7 rounds with gpu-00, the fastest took 31 us"; empty without knots
    std::string uncertainty;         // reason for wider bounds or an error; may be empty

    bool isMeasured() const { return !knots.empty(); }
};

struct ExchangeFit {
    uint32_t reference = 0;              // domain
    std::vector<ExchangeDomain> domains; // by domain
    uint64_t rounds = 0;
    uint64_t outliers = 0; // rounds that contradict the rounds around them
};

// Fits the clock exchange. `preferred` is the reference domain of the collectives; it is used if its clock
// took part. Returns null without comparisons, or if fewer than two domains took part. O(seconds covered *
// log rounds) per domain.
std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const ClockPartition& partition,
                                               std::optional<uint32_t> preferred, const Workers& workers);

// A line, including the domain's clock steps, through the domain's bounds, and the largest distance of the
// bounds from the line.
struct ExchangeLine {
    int64_t origin_ns = 0; // coarse time of the domain
    double offset_ns = 0;  // offset at the origin, without steps
    double drift = 0;      // ns per ns
    int64_t bound_ns = 0;

    double at(int64_t at_ns, const std::vector<ExchangeStep>& steps) const;
};
ExchangeLine lineThrough(const ExchangeDomain& domain);

} // namespace lockstep
