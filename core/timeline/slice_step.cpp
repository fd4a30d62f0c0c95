#include "core/timeline/slice_step.h"

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

} // namespace

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
