// SPDX-License-Identifier: Apache-2.0
// ClockVerdict: whether a domain's fitted clock may replace its wall clock, and in which words it may be
// trusted. Made by judgeClocks() from the fit and the bounds; the sentence it gives is what a user reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/align/clock_bounds.h"
#include "core/align/clock_map.h"
#include "core/align/shared_clock_check.h"

namespace lockstep {

enum class ClockVerdict : uint8_t {
    reference, // the others are measured against it
    applied,
    boundsOnly,       // too few anchors for an estimate: placed in the middle of what is possible
    nothingToCorrect, // the wall clock already agrees within twice the error
    tooFew,           // fewer than 10 anchors, and no interval that excludes the wall clock
    oneSided,         // only sends, broadcasts or reductions in one direction
    unmatched,        // no collective of it was matched with another clock's; the groups' refusals say why
    contradictory,    // more than 1 % of the collectives contradict every possible clock
    scattered,        // ends do not coincide within 1 ms
    noGain            // causality violations would not become fewer
};

struct DomainVerdict {
    ClockVerdict verdict = ClockVerdict::unmatched;
    ClockConfidence confidence = ClockConfidence::none;
    double error_ns = 0;  // of an estimate: max(1.96 standard errors, ends' asymmetry, 20 us); else 0
    double offset_ns = 0; // to be taken off the domain's coarse time; 0 when refused
    std::string reason;

    bool isApplied() const { return verdict == ClockVerdict::applied || verdict == ClockVerdict::boundsOnly; }
};

std::string_view clockVerdictName(ClockVerdict verdict);

inline constexpr double kHostFloor_ns = 20'000;      // end asymmetry that no data can reveal across hosts
inline constexpr double kGoodHalfWidth_ns = 100'000; // guaranteed interval of confidence good
inline constexpr double kFairError_ns = 1'000'000;

// An estimate outside of its guaranteed interval is moved to the interval's border in `fit`, and said so.
// shared: of each domain, what checkSharedClocks() found.
std::vector<DomainVerdict> judgeClocks(const CollectiveMatches& matches, const ClockPartition& partition,
                                       std::span<const SharedClockCheck> shared, const AnchorTable& table,
                                       ClockFit& fit, ClockBounds& bounds);

} // namespace lockstep
