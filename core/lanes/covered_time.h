// SPDX-License-Identifier: Apache-2.0
// CoveredTime: when a report shows anything, in stretches with long silences between them, and how long its
// training steps are: what gaps of the axis are found by. Built once with the rest of a report's LOD,
// immutable; any thread. Times are on the report's clock.
#pragma once

#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct CoveredTime {
    // What is no further apart is one stretch.
    static constexpr Duration kJoin{5'000'000'000};

    // Ascending, more than kJoin apart. An instant or a sample alone is 1 ns long. What is known to be lost,
    // and the whole of a memory snapshot, count as covered: nothing of it may be folded away.
    std::vector<TimeRange> stretches;
    std::vector<Duration> steps; // their lengths, see findSteps()

    size_t residentBytes() const;
};

// O(slices + samples).
CoveredTime findCoveredTime(const Report& report);

// Sorts and unites what is no more than `apart` apart; empty ones go.
std::vector<TimeRange> joined(std::vector<TimeRange> ranges, Duration apart);

} // namespace lockstep
