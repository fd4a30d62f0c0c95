// SPDX-License-Identifier: Apache-2.0
// AlignmentReport: a complete description of an alignment for the panel, the residual plots and `--export
// alignment`. Created by describeAlignment(); deterministic, so that two exports of the same workspace are
// identical.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/align/alignment.h"

namespace lockstep {

// One report, in workspace order. All values come from the report's ClockMap.
struct AlignmentRow {
    ReportKey report;
    std::string host; // empty = unknown
    std::optional<int> rank;
    // how the report's host shares a clock: "own", "system clock", "host wall clock"
    std::string_view clock;
    std::string_view verdict; // see clockVerdictName(); empty without a collective fit
    uint32_t burstCount = 0;  // number of independent bursts of collectives
    // robust deviation of the ends of collectives in the report's clock domain
    std::optional<int64_t> residual_ns;
};

// One matched or rejected process group.
struct AlignmentGroup {
    std::string world;
    std::string name;
    std::string ranks; // "0-7, 16"; empty = unknown
    uint32_t memberCount = 0;
    uint64_t matched = 0;
    uint64_t unmatched = 0;
    uint64_t mismatched = 0;
    std::string_view matchedBy; // "sequence", "pattern", "pattern, groups not recorded"
    std::string pairs;          // how sends and receives are used; empty = not used
    std::string refusal;
    std::vector<std::string> remarks; // see MatchedGroup::remarks
};

// Residual of one end in a domain from the common end, under the fit.
struct ResidualPoint {
    TraceTime time;          // aligned axis
    int64_t residual_ns = 0; // positive = late
};

struct ResidualSeries {
    uint32_t domain = 0;
    std::string label; // host, or the report's file name
    // sorted by time; thinned evenly to the requested count, but extremes are kept
    std::vector<ResidualPoint> points;
};

struct AlignmentReport {
    std::string basis;
    std::vector<AlignmentRow> rows;
    std::vector<AlignmentGroup> groups;
    std::vector<ResidualSeries> residuals;
    uint64_t collectiveCount = 0;        // collectives matched across different clocks
    uint64_t contradictions = 0;         // observations that were dropped
    uint64_t violationsBefore = 0;       // collectives that ended somewhere before they began elsewhere
    uint64_t violationsAfter = 0;        // same count under the fit
    int64_t noise_ns = 0;                // robust deviation of all residuals
    std::vector<std::string> splitHosts; // hosts whose reports do not share one clock, each with the reason
};

AlignmentReport describeAlignment(const Workspace& workspace, const Alignment& alignment,
                                  size_t maxResidualsPerDomain = 2000);

// Returns the residuals of one report's clock; empty if collectives give no information about it. O(anchors
// of the domain).
ResidualSeries residualsOf(const Workspace& workspace, const Alignment& alignment, ReportKey report,
                           size_t maxResiduals = 2000);

// Returns rank numbers with consecutive runs joined: "0-7, 16, 18".
std::string ranksText(const std::vector<int>& ranks);
// Returns a time difference between two reports with its likely error, or its guaranteed error if no likely
// error is known: "12.3 µs ± 4.1 µs", or "± ?" if neither is known.
std::string differenceText(Duration difference, const PairError& error);
// Returns an error for display, rounded up to three digits: "311 µs".
std::string errorText(int64_t error_ns);
// Returns true if the order of two events in two reports is known, i.e. if the distance between the events
// exceeds the guaranteed error, or the likely error if nothing is guaranteed. Views mark an unknown order as
// unknown.
bool isDecided(Duration difference, const PairError& error);

} // namespace lockstep
