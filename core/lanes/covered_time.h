// SPDX-License-Identifier: Apache-2.0
// CoveredTime: the times for which a report contains data, as stretches separated by long pauses, and the
// durations of its training steps. The gaps of the axis are computed from it. Times are on the report's
// clock. Built once with the other levels of detail of a report. Immutable. Thread: any.
#pragma once

#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct CoveredTime {
    // Pauses shorter than this length do not separate stretches.
    static constexpr Duration kJoin{5'000'000'000};

    // Ascending, more than kJoin apart. A single instant or sample has a length of 1 ns. Known losses, and
    // the whole range of a memory snapshot, count as covered, so they are never collapsed.
    std::vector<TimeRange> stretches;
    std::vector<Duration> steps; // durations of the steps, see findSteps()

    size_t residentBytes() const;
};

// Computes the covered time. O(slices + samples).
CoveredTime findCoveredTime(const Report& report);

// Sorts the ranges, drops empty ranges and merges ranges that are at most `maxGap` apart.
std::vector<TimeRange> joined(std::vector<TimeRange> ranges, Duration maxGap);

} // namespace lockstep
