// SPDX-License-Identifier: Apache-2.0
// ClockVerdict: whether a domain's fitted clock may replace its wall clock, and how reliable that clock is.
// Created by judgeClocks() from the fit and the bounds; its sentence is shown to users.
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
    reference, // the reference for the other clocks
    applied,
    boundsOnly,         // too few anchors for an estimate, so placed in the middle of the possible range
    noCorrectionNeeded, // the wall clock already agrees to within twice the error
    tooFew,             // fewer than 10 anchors, and no interval excludes the wall clock
    oneSided,           // only sends, broadcasts or reductions, all in one direction
    unmatched,     // no collective was matched with another clock; the groups' rejection reasons explain why
    contradictory, // more than 1% of the collectives contradict every possible clock
    scattered,     // ends do not coincide within 1 ms
    noGain         // the correction would not reduce the number of causality violations
};

struct DomainVerdict {
    ClockVerdict verdict = ClockVerdict::unmatched;
    ClockConfidence confidence = ClockConfidence::none;
    // error of an estimate: max(1.96 standard errors, asymmetry of ends, 20 us); otherwise 0
    double error_ns = 0;
    // offset to subtract from the domain's coarse time; 0 if the estimate was rejected
    double offset_ns = 0;
    std::string reason;

    bool isApplied() const { return verdict == ClockVerdict::applied || verdict == ClockVerdict::boundsOnly; }
};

std::string_view clockVerdictName(ClockVerdict verdict);

// assumed asymmetry of ends across hosts, which no data can reveal
inline constexpr double kHostFloor_ns = 20'000;
// largest half-width of the guaranteed interval for confidence good
inline constexpr double kGoodHalfWidth_ns = 100'000;
inline constexpr double kFairError_ns = 1'000'000;

// Judges the clocks. An estimate outside its guaranteed interval is moved to the edge of the interval in
// `fit`, and the reason mentions the move. `shared` is the result of checkSharedClocks() for each domain.
std::vector<DomainVerdict> judgeClocks(const CollectiveMatches& matches, const ClockPartition& partition,
                                       std::span<const SharedClockCheck> shared, const AnchorTable& table,
                                       ClockFit& fit, ClockBounds& bounds);

} // namespace lockstep
