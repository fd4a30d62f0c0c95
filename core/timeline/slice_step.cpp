#include "core/timeline/slice_step.h"

#include <algorithm>

namespace lockstep {

namespace {

SliceRef step(const Workspace& workspace, const ReportLods& lods, SliceRef ref, bool forwards)
{
    const Report& report = workspace.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const LodRow row =
        lods[ref.report.value]->slices().row(report, track, report.slices.depth[ref.slice.value]);
    // Several instants may share one start: go on to the slice itself.
    uint32_t at = row.firstStartingAt(report.slices.start_ns[ref.slice.value]);
    while (at < row.count() && row.sliceAt(at) < ref.slice)
        ++at;
    if (forwards) {
        if (at < row.count() && row.sliceAt(at) == ref.slice) ++at;
        return at < row.count() ? SliceRef{ref.report, row.sliceAt(at)} : SliceRef();
    }
    return at > 0 ? SliceRef{ref.report, row.sliceAt(at - 1)} : SliceRef();
}

// The end of the nearest capture behind (or before) the slice's own on its row: sources of one row stand in
// time.
SliceRef stepOverCaptures(const Workspace& workspace, const ReportLods& lods, const LaneTree& tree,
                          SliceRef ref, bool forwards)
{
    const Report& report = workspace.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const uint16_t depth = report.slices.depth[ref.slice.value];
    const uint32_t lane = tree.laneOf({ref.report, track});
    if (lane == kNoLane) return {};
    const std::vector<RowSource>& sources = tree.lane(lane).sources;
    const auto own = std::ranges::find_if(sources, [&](const RowSource& source) {
        return source.report == ref.report && source.track == track;
    });
    const std::ptrdiff_t way = forwards ? 1 : -1;
    for (std::ptrdiff_t i = own - sources.begin() + way; i >= 0 && i < std::ssize(sources); i += way) {
        const RowSource& source = sources[static_cast<size_t>(i)];
        if (source.row != own->row) break;
        const Report& other = workspace.report(source.report);
        if (depth >= other.track(source.track).depthCount) continue;
        const LodRow row = lods[source.report.value]->slices().row(other, source.track, depth);
        if (row.count() > 0) return {source.report, row.sliceAt(forwards ? 0 : row.count() - 1)};
    }
    return {};
}

} // namespace

SliceRef sliceAfter(const Workspace& workspace, const ReportLods& lods, const LaneTree& tree, SliceRef slice)
{
    const SliceRef next = sliceAfter(workspace, lods, slice);
    return next.isValid() ? next : stepOverCaptures(workspace, lods, tree, slice, true);
}

SliceRef sliceBefore(const Workspace& workspace, const ReportLods& lods, const LaneTree& tree, SliceRef slice)
{
    const SliceRef last = sliceBefore(workspace, lods, slice);
    return last.isValid() ? last : stepOverCaptures(workspace, lods, tree, slice, false);
}

SliceRef sliceAfter(const Workspace& workspace, const ReportLods& lods, SliceRef slice)
{
    return step(workspace, lods, slice, true);
}

SliceRef sliceBefore(const Workspace& workspace, const ReportLods& lods, SliceRef slice)
{
    return step(workspace, lods, slice, false);
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
