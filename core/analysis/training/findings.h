// SPDX-License-Identifier: Apache-2.0
// RunFindings: what the rules found in the shown reports, worst first: each one sentence over all ranks that
// it was found on, with what it costs a step, what it was measured against, and what to do. Made from the
// tables of the rules, which it names; rules that could not run are listed with their reason. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/interval_set.h"

namespace lockstep {

enum class FindingSeverity : uint8_t { high, medium, low };

// "high", "medium", "low".
std::string_view findingSeverityName(FindingSeverity severity);

// What was measured of one rank (or report).
struct FindingBar {
    std::string label;
    double value = 0;
    bool isGuilty = false; // beyond the threshold; without one the largest
};

struct RunFinding {
    FindingSeverity severity = FindingSeverity::medium;
    std::string rule;     // "low_gpu_utilization", or the table that found it
    std::string sentence; // "GPUs are idle 55.6 % of the time on rank 5, the worst of 8"
    std::string fix;      // the first of what to do
    std::vector<std::string> advice;
    std::vector<FindingBar> bars;    // by rank
    std::string caption;             // what the bars are: "GPU busy by rank"
    std::string unit;                // of bars and threshold
    std::optional<double> threshold; // absent: the rule has none
    int64_t cost_ns = 0;             // GPU time lost, of all steps, of the rank that loses most by it; 0 of
                                     // slow kernels, which keep the GPU busy
    std::vector<std::pair<std::string, std::string>> reasons; // why we believe it: heading and text
    SliceRef show;                                            // what a jump leads to
    IntervalSet lost; // on the aligned axis, of all ranks; empty where the rule gives no times
};

struct RunFindings {
    std::vector<RunFinding> found; // by severity, then cost; a late rank before what it causes
    std::vector<std::string> ran;  // tables that were made
    std::vector<std::pair<std::string, std::string>> notRun; // and why
    int64_t steps = 0;       // that the range holds; 0: no step is known, costs are of the whole range
    int64_t lost_ns = 0;     // all that is lost, overlaps counted once
    size_t withoutTimes = 0; // findings that are not in it: their rules give no times
    size_t reports = 0;
    // A cost by step, or of the whole range where no step is known.
    int64_t costAStep_ns(int64_t cost_ns) const { return steps > 0 ? cost_ns / steps : cost_ns; }
};

// Makes a table of the request's scene and scope; from a cache where there is one.
using MakeTable = std::function<Result<std::shared_ptr<const Table>>(const std::string& what)>;

// canceled is the only error.
Result<RunFindings> findingsOf(const Scene& scene, const Scope& scope, const MakeTable& make,
                               const Progress& progress);

} // namespace lockstep
