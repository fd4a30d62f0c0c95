// SPDX-License-Identifier: Apache-2.0
#include "core/scene/distant_report.h"

#include <algorithm>

namespace lockstep {

namespace {

struct PlacedReport {
    ReportKey report;
    TimeRange extent; // aligned
    size_t group = 0; // index of a cluster of reports whose neighbors are close to each other
};

std::vector<PlacedReport> placedReports(const Scene& scene)
{
    std::vector<PlacedReport> placed;
    for (const ReportKey key : scene.shown.keys()) {
        const TimeRange extent = scene.shown.report(key).extent;
        if (!extent.isEmpty()) placed.push_back({key, scene.alignment.map(key).alignedFromTrace(extent), 0});
    }
    std::ranges::stable_sort(placed, {}, [](const PlacedReport& of) { return of.extent.begin; });
    TraceTime last = kAllTime.begin;
    for (size_t i = 0; i < placed.size(); ++i) {
        const bool isNew = i > 0 && placed[i].extent.begin - last >= DistantReport::kMin;
        placed[i].group = i == 0 ? 0 : placed[i - 1].group + (isNew ? 1 : 0);
        last = std::max(last, placed[i].extent.end);
    }
    return placed;
}

DistantReport distantReportOf(const Scene& scene, const PlacedReport& of,
                              const std::vector<PlacedReport>& all)
{
    DistantReport out{of.report, of.extent, {}, {}, false};
    TraceTime before = kAllTime.begin,
              // end of the nearest report before, and start of the nearest report after
        after = kAllTime.end;
    const auto marksSteps = [&](ReportKey key) {
        return scene.lods.has(key) && scene.lods[key] != nullptr && !scene.lods[key]->covered().steps.empty();
    };
    for (const PlacedReport& other : all) {
        if (other.report == of.report) continue;
        out.others = out.others.unitedWith(other.extent);
        out.hasSteps = out.hasSteps || marksSteps(other.report);
        if (other.extent.end <= of.extent.begin) before = std::max(before, other.extent.end);
        if (other.extent.begin >= of.extent.end) after = std::min(after, other.extent.begin);
    }
    out.hasSteps = out.hasSteps && marksSteps(of.report);
    const Duration late = of.extent.begin - before, early = after - of.extent.end;
    out.away = late < early ? late : -early;
    return out;
}

} // namespace

std::vector<DistantReport> distantReportsOf(const Scene& scene)
{
    std::vector<PlacedReport> placed = placedReports(scene);
    if (placed.size() < 2 || placed.back().group == 0) return {};
    std::vector<PlacedReport> isolated;
    for (const PlacedReport& of : placed) {
        const auto groupSize = std::ranges::count(placed, of.group, &PlacedReport::group);
        if (groupSize == 1) isolated.push_back(of);
    }
    // If there are only two reports and both are distant, it is sufficient to ask about one of them.
    if (placed.size() == 2) {
        const auto confidence = [&](const PlacedReport& of) {
            return scene.alignment.map(of.report).confidence;
        };
        const bool isFirstWorse = confidence(isolated.front()) < confidence(isolated.back());
        isolated.erase(isFirstWorse ? std::prev(isolated.end()) : isolated.begin());
    } else if (2 * isolated.size() >= placed.size()) {
        return {};
    }
    std::vector<DistantReport> out;
    for (const ReportKey key : scene.shown.keys()) {
        const auto found = std::ranges::find(isolated, key, &PlacedReport::report);
        if (found != isolated.end()) out.push_back(distantReportOf(scene, *found, placed));
    }
    return out;
}

} // namespace lockstep
