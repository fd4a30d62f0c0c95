// SPDX-License-Identifier: Apache-2.0
// StragglerMetrics: who is late to collectives, how often, and what for. Made by measureStragglers() from
// matched collectives; read by the straggler tables. Durations need no aligned clocks: of a collective that
// nobody leaves before all have come, the rank that stayed shortest came last. Starts on the aligned axis are
// the cross-check.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/align/alignment.h"
#include "core/align/collective_matching.h"

namespace lockstep {

// One collective of Dependency::all that at least two ranks took part in, or a send and its receive that end
// together.
struct CollectiveTiming {
    uint32_t collective = 0;  // index in CollectiveMatches::collectives
    uint32_t lastRank = 0;    // the part of least duration: index in CollectiveMatches::ranks
    int64_t transfer_ns = 0;  // least duration over all ranks: what the data itself took, at most
    int64_t imbalance_ns = 0; // greatest minus least duration: the longest wait
    int64_t totalWait_ns = 0; // sum over ranks of duration - transfer
    TraceTime firstStart;     // aligned
    std::optional<int64_t>
        skew_ns; // last minus first aligned start; absent where clocks are not tied together
    std::optional<int64_t> skewError_ns; // what the skew is good to: likely error between the first and the
                                         // last, else the guaranteed one
    std::optional<uint32_t> lastByStart; // the rank that started last on the aligned axis
    // True when starts and durations name different last ranks and the starts of the two differ by more than
    // the error.
    bool isDisputed = false;

    // How much of the skew is certain to be more than alignment error; 0 when none is.
    int64_t netSkew_ns() const
    {
        return skew_ns ? std::max<int64_t>(0, *skew_ns - skewError_ns.value_or(0)) : 0;
    }
};

struct RankLateness {
    uint32_t rank = 0;        // index in CollectiveMatches::ranks
    uint64_t collectives = 0; // that it took part in
    uint64_t timesLast = 0;
    int64_t totalWait_ns = 0;  // time it spent waiting for others
    int64_t causedWait_ns = 0; // sum of imbalance over the collectives it came last to
    double score = 0;          // causedWait over the imbalance of all collectives it took part in, 0..1
    std::vector<std::pair<StringId, uint64_t>>
        activities; // names (of its report) of what kept it (see lateActivity()), most often first
    uint64_t timesHostBound = 0;
    SliceId worst; // its part of the collective it came last to at the greatest cost; invalid = never last
};

struct StragglerMetrics {
    std::vector<CollectiveTiming> timings; // in the order of CollectiveMatches::collectives
    std::vector<RankLateness> ranks;       // those with collectives, worst causedWait first
    uint64_t disputed = 0;
};

// The timings alone: O(parts).
std::vector<CollectiveTiming> timeCollectives(const Workspace& workspace, const Alignment& alignment,
                                              const CollectiveMatches& matches, const Workers& workers);
// Uses the alignment's matches where it has them, else matches anew. O(parts).
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const Workers& workers);
// The same over given matches, and of these over the collectives named by index, e.g. those of one group or
// step.
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, const Workers& workers);
StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, std::span<const uint32_t> collectives,
                                   const Workers& workers);

} // namespace lockstep
