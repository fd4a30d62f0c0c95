// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/snap.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep {

namespace {

constexpr ptrdiff_t kMaxExamined = 512; // number of slices on either side, because nested ones begin long
                                        // before they end

// Calls see(slice, time on the report's clock, isEnd) for edges of slices near `at`.
template<class Visit>
void edgesAround(const Report& report, const Track& track, TraceTime at, const Visit& visit)
{
    const auto& starts = report.slices.start_ns;
    const auto first = starts.begin() + track.firstSlice.value, last = first + track.sliceCount;
    const auto middle = std::lower_bound(first, last, at.ns);
    const auto from = middle - std::min(middle - first, kMaxExamined);
    const auto to = middle + std::min(last - middle, kMaxExamined);
    for (auto i = from; i != to; ++i) {
        const SliceId slice(static_cast<size_t>(i - starts.begin()));
        visit(slice, report.slices.start(slice), false);
        if (!report.slices.isInstant(slice)) visit(slice, report.slices.end(slice), true);
    }
}

bool isOpen(const Scene& scene, TrackRef track)
{
    return track.report.isValid() && scene.shown.has(track.report) && track.track.isValid() &&
           track.track.value < scene.shown.report(track.report).tracks.size();
}

} // namespace

EdgePoint snapped(const Scene& scene, TrackRef track, TraceTime aligned, Duration reach)
{
    EdgePoint point{aligned, track, {}, false};
    if (!track.report.isValid() || !scene.shown.has(track.report)) return point;
    const Report& report = scene.shown.report(track.report);
    const ClockMap& clock = scene.alignment.map(track.report);
    const TraceTime at = clock.traceFromAligned(aligned);
    int64_t best_ns = reach.ns;
    bool isFound = false;
    const auto visit = [&](SliceId slice, TraceTime edge, bool isEnd) {
        const int64_t away_ns = std::abs(edge.ns - at.ns);
        if (away_ns > best_ns || (isFound && away_ns == best_ns)) return;
        best_ns = away_ns;
        isFound = true;
        point = {clock.alignedFromTrace(edge), track, {track.report, slice}, isEnd};
    };
    if (isOpen(scene, track)) edgesAround(report, report.track(track.track), at, visit);
    for (const CollectiveOp& collective : report.collectives) {
        const TimeRange range = report.slices.range(collective.slice);
        if (range.end.ns + reach.ns < at.ns || range.begin.ns - reach.ns > at.ns) continue;
        visit(collective.slice, range.begin, false);
        visit(collective.slice, range.end, true);
    }
    return point;
}

EdgePoint nextEdge(const Scene& scene, const EdgePoint& point, bool isForward)
{
    if (!isOpen(scene, point.track)) return point;
    const Report& report = scene.shown.report(point.track.report);
    const ClockMap& clock = scene.alignment.map(point.track.report);
    // If the point is at an edge, uses the original timestamp, because a conversion to the axis and back may
    // cause an error of 1 ns.
    const TraceTime at = point.slice.isValid() ? (point.isEnd ? report.slices.end(point.slice.slice)
                                                              : report.slices.start(point.slice.slice))
                                               : clock.traceFromAligned(point.aligned);
    EdgePoint next = point;
    std::optional<TraceTime> best;
    edgesAround(report, report.track(point.track.track), at, [&](SliceId slice, TraceTime edge, bool isEnd) {
        if (isForward ? edge <= at : edge >= at) return;
        if (best && (isForward ? edge >= *best : edge <= *best)) return;
        best = edge;
        next = {clock.alignedFromTrace(edge), point.track, {point.track.report, slice}, isEnd};
    });
    return next;
}

std::string edgeText(const Scene& scene, const EdgePoint& point)
{
    if (!scene.holds(point.slice)) return "not snapped";
    const Report& report = scene.shown.report(point.slice.report);
    return std::string(point.isEnd ? "end of " : "start of ") +
           std::string(report.shortNameOf(point.slice.slice));
}

} // namespace lockstep
