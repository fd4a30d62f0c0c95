// SPDX-License-Identifier: Apache-2.0
// CollectiveFit: everything that collectives say of a workspace's clocks: which reports share one, what was
// matched, the estimate, the bounds, the verdicts. Made by fitCollectives(), kept with the Alignment, read by
// its window and tables.
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
    std::vector<std::string>
        splitHosts; // hosts whose reports do not read one clock after all, each with what says so: a sentence

    bool isAnyApplied() const;
};

// Pure, deterministic. 1,000 ranks of 2,000 collectives take seconds.
// canceled, else always a fit.
Result<std::shared_ptr<const CollectiveFit>>
fitCollectives(const Workspace& workspace, const MatchOptions& options, const Progress& progress);

} // namespace lockstep
