// SPDX-License-Identifier: Apache-2.0
#include "core/search/slice_step.h"

#include <algorithm>

namespace lockstep {

namespace {

SliceRef stepOnTrack(const Scene& scene, SliceRef ref, bool forwards)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const LodRow row =
        scene.lods[ref.report]->slices().row(report, track, report.slices.depth[ref.slice.value]);
    // Several instants may have the same start, so continue scanning until the slice itself is found.
    uint32_t at = row.firstStartingAt(report.slices.start_ns[ref.slice.value]);
    while (at < row.count() && row.sliceAt(at) < ref.slice)
        ++at;
    if (forwards) {
        if (at < row.count() && row.sliceAt(at) == ref.slice) ++at;
        return at < row.count() ? SliceRef{ref.report, row.sliceAt(at)} : SliceRef();
    }
    return at > 0 ? SliceRef{ref.report, row.sliceAt(at - 1)} : SliceRef();
}

// Returns the first or last slice of the nearest capture after (or before) the slice's own on its row. The
// sources on one row are sorted by time.
SliceRef stepOverCaptures(const Scene& scene, SliceRef ref, bool forwards)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const uint16_t depth = report.slices.depth[ref.slice.value];
    const uint32_t lane = scene.tree->laneOf({ref.report, track});
    if (lane == kNoLane) return {};
    const std::vector<RowSource>& sources = scene.tree->lane(lane).sources;
    const auto own = std::ranges::find_if(sources, [&](const RowSource& source) {
        return source.report == ref.report && source.track == track;
    });
    const std::ptrdiff_t way = forwards ? 1 : -1;
    for (std::ptrdiff_t i = own - sources.begin() + way; i >= 0 && i < std::ssize(sources); i += way) {
        const RowSource& source = sources[static_cast<size_t>(i)];
        if (source.row != own->row) break;
        const Report& other = scene.shown.report(source.report);
        if (depth >= other.track(source.track).depthCount) continue;
        const LodRow row = scene.lods[source.report]->slices().row(other, source.track, depth);
        if (row.count() > 0) return {source.report, row.sliceAt(forwards ? 0 : row.count() - 1)};
    }
    return {};
}

SliceRef step(const Scene& scene, SliceRef slice, bool forwards)
{
    const SliceRef next = stepOnTrack(scene, slice, forwards);
    return next.isValid() ? next : stepOverCaptures(scene, slice, forwards);
}

} // namespace

SliceRef sliceAfter(const Scene& scene, SliceRef slice)
{
    return step(scene, slice, true);
}

SliceRef sliceBefore(const Scene& scene, SliceRef slice)
{
    return step(scene, slice, false);
}

SliceRef firstEffect(const Workspace& workspace, SliceRef slice)
{
    const auto links = workspace.report(slice.report).links.from(slice.slice);
    return links.empty() ? SliceRef() : SliceRef{slice.report, links.front().effect};
}

SliceRef firstCause(const Workspace& workspace, SliceRef slice)
{
    const Link* const link = workspace.report(slice.report).links.to(slice.slice);
    return link == nullptr ? SliceRef() : SliceRef{slice.report, link->cause};
}

} // namespace lockstep
