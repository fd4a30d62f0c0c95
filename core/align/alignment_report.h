// SPDX-License-Identifier: Apache-2.0
// AlignmentReport: everything an alignment has to say of itself, ready for the panel, the residual plots and
// `--export alignment`. Made by describeAlignment(); deterministic, so that two exports of one workspace are
// equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/align/alignment.h"

namespace lockstep {

// One report, in workspace order. All numbers are those of its ClockMap.
struct AlignmentRow {
    ReportKey report;
    std::string host; // empty = unknown
    std::optional<int> rank;
    std::string_view clock;   // how its host shares a clock: "own", "system clock", "host wall clock"
    std::string_view verdict; // see clockVerdictName(); empty without a collective fit
    uint32_t burstCount = 0;  // stretches of collectives that count as independent
    std::optional<int64_t> residual_ns; // robust deviation of its domain's ends
};

// One matched or refused process group.
struct AlignmentGroup {
    std::string world;
    std::string name;
    std::string ranks; // "0-7, 16"; empty = not stated
    uint32_t memberCount = 0;
    uint64_t matched = 0;
    uint64_t unmatched = 0;
    uint64_t mismatched = 0;
    std::string_view matchedBy; // "sequence", "pattern", "pattern, groups not stated"
    std::string pairs;          // what sends and receives are worth; empty = none are used
    std::string refusal;
    std::vector<std::string> remarks; // see MatchedGroup::remarks
};

// How far one end of a domain lies from where all ended, under the fit.
struct ResidualPoint {
    TraceTime time;          // aligned axis
    int64_t residual_ns = 0; // positive = late
};

struct ResidualSeries {
    uint32_t domain = 0;
    std::string label;                 // host, or the report's file name
    std::vector<ResidualPoint> points; // by time; evenly thinned to the asked number, extremes kept
};

struct AlignmentReport {
    std::string basis;
    std::vector<AlignmentRow> rows;
    std::vector<AlignmentGroup> groups;
    std::vector<ResidualSeries> residuals;
    uint64_t collectiveCount = 0;        // matched over different clocks
    uint64_t contradictions = 0;         // dropped
    uint64_t violationsBefore = 0;       // collectives that ended somewhere before they began elsewhere
    uint64_t violationsAfter = 0;        // under the fit
    int64_t noise_ns = 0;                // robust deviation of all residuals
    std::vector<std::string> splitHosts; // each host that is not one clock after all, with the reason
};

AlignmentReport describeAlignment(const Workspace& workspace, const Alignment& alignment,
                                  size_t mostResidualsPerDomain = 2000);

// The residuals of one report's clock; empty where collectives say nothing of it. O(anchors of the domain).
ResidualSeries residualsOf(const Workspace& workspace, const Alignment& alignment, ReportKey report,
                           size_t mostResiduals = 2000);

// "0-7, 16, 18": runs of consecutive numbers joined.
std::string ranksText(const std::vector<int>& ranks);
// "12.3 µs ± 4.1 µs": a difference of times in two reports with its likely error, else the guaranteed one;
// "± ?" where none is known.
std::string measuredText(Duration difference, const PairError& error);
// An error as it is told: rounded up to three digits, "311 µs".
std::string errorText(int64_t error_ns);
// Whether the order of two moments in two reports can be told: their distance exceeds the guaranteed error,
// or the likely one where nothing is guaranteed. Undecided is drawn as such.
bool isDecided(Duration difference, const PairError& error);

} // namespace lockstep
