// SPDX-License-Identifier: Apache-2.0
// FarReport: a report that lies alone on the axis, hours from all others: more often a clock that was wrong
// than a recording that was made then. Found of a scene's shown reports; pure, any thread.
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

struct FarReport {
    static constexpr Duration kLeast{3'600'000'000'000}; // what is nearer is not far

    ReportKey report;
    TimeRange extent;      // of it, aligned
    Duration away;         // to the nearest of the others; negative: before it
    TimeRange others;      // of all others, aligned
    bool hasSteps = false; // it and another mark training steps, by which they could be laid over each other

    friend bool operator==(const FarReport&, const FarReport&) = default;
};

// By report, in the order in which they are listed. Of two reports that is the one whose clock says less of
// itself, else the later. None where as many are far as are not: then nothing tells which of them are wrong.
std::vector<FarReport> farReportsOf(const Scene& scene);

} // namespace lockstep
