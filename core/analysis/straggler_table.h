// SPDX-License-Identifier: Apache-2.0
// The `stragglers` analysis: for each rank, how often it was the last to arrive at collectives, the cost for
// the other ranks, and what the rank was doing at that time. Lateness is derived from durations and therefore
// does not require aligned clocks. Aligned starts are shown next to the lateness.
#pragma once

#include "core/analysis/table_columns.h"

namespace lockstep {

// One rank. Optional members are unset for ranks that could not be analyzed.
struct StragglerRow {
    GroupKey group;
    SliceRef longest; // the rank's part in the collective with the longest wait that it caused
    std::optional<int64_t> rank;
    std::string role, host; // empty if unknown
    int64_t collectives = 0;
    std::optional<int64_t> timesLast;
    std::optional<int64_t> lastShare_permille;   // timesLast as a share of collectives
    std::optional<int64_t> causedWait_ns;        // sum of the longest waits in the collectives of timesLast
    std::optional<int64_t> causedShare_permille; // causedWait_ns as a share of all longest waits
    std::optional<int64_t> ownWait_ns;
    std::optional<int64_t> timesLastByStart; // by aligned start; unset if clocks are not aligned
    std::optional<int64_t> medianSkew_ns;    // of the collectives in timesLastByStart
    std::optional<int64_t> disputed;         // last by duration, but not by start
    std::optional<int64_t> timesHostBound;
    std::string activities; // most frequent activities while late
    std::string report;     // path
    std::string notTimed;   // why the rank could not be analyzed
};

// Returns the ranks by the wait they caused, worst first. The only possible error is `canceled`.
Result<AnalysisRows<StragglerRow>> stragglers(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
