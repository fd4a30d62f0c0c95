// SPDX-License-Identifier: Apache-2.0
// DistantReport: a report that is hours away from all others on the axis. The cause is usually a wrong clock
// rather than an earlier recording. Only the shown reports of a scene are searched. Pure. Thread: any.
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

struct DistantReport {
    static constexpr Duration kMin{3'600'000'000'000}; // shorter distances are not reported

    ReportKey report;
    TimeRange extent; // aligned extent of the report
    Duration away;    // distance to the nearest other report; negative if the report is before it
    TimeRange others; // aligned extent of all other reports
    // true if this report and at least one other report mark training steps, so that they can be aligned by
    // steps
    bool hasSteps = false;

    friend bool operator==(const DistantReport&, const DistantReport&) = default;
};

// Returns the distant reports, in the order in which reports are listed. If there are only two reports, the
// distant one is the one with the less reliable clock, otherwise the later one. Returns an empty list if at
// least half of the reports are distant, because it is then unknown which reports are wrong.
std::vector<DistantReport> distantReportsOf(const Scene& scene);

} // namespace lockstep
