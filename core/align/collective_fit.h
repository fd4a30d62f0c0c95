// SPDX-License-Identifier: Apache-2.0
// CollectiveFit: the clock information from the collectives of a workspace: shared clocks, matches,
// estimates, bounds, verdicts. Computed in this order: partition, matches, corrected partition, anchors, fit,
// bounds, verdicts. Created by fitCollectives(), stored with the Alignment, and used by its window and
// tables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/align/clock_bounds.h"
#include "core/align/clock_map.h"
#include "core/align/collective_matching.h"
#include "core/base/progress.h"

namespace lockstep {

// SharedClockCheck: whether the collectives of reports that are assumed to share one clock are consistent
// with that assumption. Created by checkSharedClocks() for fitCollectives(); used for clock maps and their
// reasons.

struct SharedClockCheck {
    // collectives that wait for all ranks and appear in several reports of the domain
    uint64_t collectives = 0;
    uint64_t contradicted = 0; // collectives that ended in one report before they began in another
    int64_t worst_ns = 0;      // the longest of these gaps

    // Returns true if there are too many contradictions to be explained by operations that do not wait or by
    // corrupt timestamps.
    bool isContradictory() const { return contradicted * 100 > collectives; }
};

// Returns the checks, by domain. Gaps of up to 10 us are attributed to timestamp errors. O(parts).
std::vector<SharedClockCheck> checkSharedClocks(const CollectiveMatches& matches,
                                                const ClockPartition& partition);

// Returns "4 of 20 collectives contradict the shared clock: they ended in one report up to 2.1 ms before they
// began in another", or an empty string if no collective does.
std::string contradictionText(const SharedClockCheck& check);

// ClockVerdict: whether a domain's fitted clock may replace its wall clock, and how reliable that clock is.
// Created by judgeClocks() from the fit and the bounds; its sentence is shown to users.

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

struct CollectiveFit {
    ClockPartition partition;
    CollectiveMatches matches;
    AnchorTable table;
    ClockFit fit;
    ClockBounds bounds;
    std::vector<DomainVerdict> verdicts;  // by domain
    std::vector<SharedClockCheck> shared; // by domain
    // hosts whose reports do not share one clock, each with the reason as a sentence
    std::vector<std::string> splitHosts;

    bool isAnyApplied() const;
};

// Computes the fit. Pure, deterministic. The fit of 1,000 ranks with 2,000 collectives each takes seconds.
// The only possible error is ErrorKind::canceled.
Result<std::shared_ptr<const CollectiveFit>>
fitCollectives(const Workspace& workspace, const MatchOptions& options, const Progress& progress);

} // namespace lockstep
