// SPDX-License-Identifier: Apache-2.0
// CollectiveFit: the clock information from the collectives of a workspace: shared clocks, matches,
// estimates, bounds, verdicts. Computed in this order: partition, matches, corrected partition, anchors, fit,
// bounds, verdicts. Created by fitCollectives(), stored with the Alignment, and used by its window and
// tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/align/clock_verdict.h"
#include "core/align/collective_matching.h"
#include "core/align/shared_clock_check.h"
#include "core/base/progress.h"

namespace lockstep {

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
