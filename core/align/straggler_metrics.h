// SPDX-License-Identifier: Apache-2.0
// StragglerMetrics: which ranks arrive late at collectives, how often, and why. Created by
// measureStragglers() from matched collectives; used by the straggler tables. Durations do not need aligned
// clocks: in a collective that no rank leaves before all have arrived, the rank with the shortest duration
// arrived last. Starts on the aligned axis serve as a cross-check.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/align/alignment.h"
#include "core/align/collective_matching.h"
#include "core/trace/report.h"

namespace lockstep {

// LateActivity: the activity of a rank while the others waited for it at a collective. Determined from the
// rank's own report and clock, so the result does not depend on the alignment. Pure; any thread.

struct LateActivity {
    // GPU work other than communication, or host activity of the launching thread; may be invalid.
    SliceId slice;
    // innermost NVTX range or user annotation that contains the launch; may be invalid
    SliceId annotation;
    bool isHostBound = false; // the GPU was underutilized while the others waited: the host was late
};

// Returns the last GPU work before the collective, or the host slice around its launch. O(log n + overlap).
LateActivity activityBefore(const Report& report, SliceId collective);

// Returns the activity with the largest total by name in [start - late, start) before the collective. This is
// GPU work if GPU work fills at least half of the span, otherwise activity of the launching thread in an
// equally long span before the launch. `late` is how long the other ranks waited (the imbalance of the
// collective); if it is zero, the result is that of activityBefore(). O(log n + slices of the span).
LateActivity lateActivity(const Report& report, SliceId collective, Duration late);

// One collective of Dependency::all with at least two ranks, or a send and its receive that end together.
struct CollectiveTiming {
    uint32_t collective = 0; // index in CollectiveMatches::collectives
    // the part with the shortest duration, as an index in CollectiveMatches::ranks
    uint32_t lastRank = 0;
    int64_t transfer_ns = 0;        // shortest duration over all ranks, an upper bound on the transfer time
    int64_t imbalance_ns = 0;       // longest minus shortest duration: the longest wait
    int64_t totalWait_ns = 0;       // sum over ranks of duration - transfer
    TraceTime firstStart;           // aligned
    std::optional<int64_t> skew_ns; // last minus first aligned start; absent if the clocks are not connected
    // Likely error of the difference between the first and the last start; the guaranteed error if no likely
    // error is known.
    std::optional<int64_t> skewError_ns;
    std::optional<uint32_t> lastByStart; // the rank that started last on the aligned axis
    // True if starts and durations indicate different last ranks, and the starts of these two ranks differ by
    // more than the error.
    bool isDisputed = false;

    // Returns the part of the skew that exceeds the alignment error, or 0.
    int64_t netSkew_ns() const
    {
        return skew_ns ? std::max<int64_t>(0, *skew_ns - skewError_ns.value_or(0)) : 0;
    }
};

struct RankLateness {
    uint32_t rank = 0;        // index in CollectiveMatches::ranks
    uint64_t collectives = 0; // number of the rank's collectives
    uint64_t timesLast = 0;
    int64_t totalWait_ns = 0; // time the rank spent waiting for others
    // total imbalance of the collectives for which the rank was the last to arrive
    int64_t causedWait_ns = 0;
    double score = 0; // causedWait divided by the imbalance of all collectives of the rank, 0..1
    // Names (in the rank's report) of the activities that delayed the rank (see lateActivity()), most
    // frequent first.
    std::vector<std::pair<StringId, uint64_t>> activities;
    uint64_t timesHostBound = 0;
    // The rank's part in the most costly collective for which it was the last to arrive; invalid if it was
    // never last.
    SliceId worst;
};

struct StragglerMetrics {
    std::vector<CollectiveTiming> timings; // in the order of CollectiveMatches::collectives
    std::vector<RankLateness> ranks;       // ranks with collectives, largest causedWait first
    uint64_t disputed = 0;
};

// Returns only the timings of the collectives. O(parts).
std::vector<CollectiveTiming> timeCollectives(const Workspace& workspace, const Alignment& alignment,
                                              const CollectiveMatches& matches, const Workers& workers);
// Measures stragglers with the alignment's matches; if the alignment has none, matches the collectives first.
// O(parts).
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const Workers& workers);
// Like the overload above, but uses the given matches and only the collectives with the given indices, e.g.
// those of one group or step.
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, const Workers& workers);
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, std::span<const uint32_t> collectives,
                                   const Workers& workers);

} // namespace lockstep
