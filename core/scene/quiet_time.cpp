// SPDX-License-Identifier: Apache-2.0
#include "core/scene/quiet_time.h"

#include <algorithm>

namespace lockstep {

namespace {

// Margin that keeps slices outside of a gap that end or begin at its edge, regardless of clock rounding.
constexpr Duration kEdge{1'000};

} // namespace

QuietTime findQuietTime(const Workspace& shown, const Alignment& alignment, const ReportLods& lods)
{
    std::vector<TimeRange> covered;
    std::vector<Duration> steps;
    for (const ReportKey key : shown.keys()) {
        if (!lods.has(key) || lods[key] == nullptr) continue;
        const CoveredTime& own = lods[key]->covered();
        for (const TimeRange& stretch : own.stretches)
            covered.push_back(alignment.map(key).alignedFromTrace(stretch));
        steps.insert(steps.end(), own.steps.begin(), own.steps.end());
    }
    QuietTime out;
    covered = joined(std::move(covered), QuietTime::kMin);
    for (size_t i = 1; i < covered.size(); ++i)
        out.ranges.push_back({covered[i - 1].end + kEdge, covered[i].begin - kEdge});
    std::erase_if(steps, [](Duration step) { return step.ns <= 0; });
    if (!steps.empty()) {
        const auto middle = steps.begin() + static_cast<ptrdiff_t>(steps.size() / 2);
        std::ranges::nth_element(steps, middle);
        out.medianStep = *middle;
    }
    return out;
}

} // namespace lockstep
