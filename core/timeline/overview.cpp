#include "core/timeline/overview.h"

#include "core/base/parallel.h"
#include "core/timeline/row_layout.h"

namespace lockstep {

DisplayRow layOutOverview(const Scene& scene, TimeRange range, int width)
{
    std::vector<RowSource> sources;
    for (const Lane& lane : scene.tree.lanes()) {
        if (lane.kind != LaneKind::process) continue;
        for (const RowSource& source : lane.summary) {
            if (source.kind != RowSource::Kind::counter) sources.push_back(source);
        }
    }
    std::vector<DisplayRow> parts(sources.size());
    parallelFor(sources.size(), [&](size_t i, size_t) {
        const RowSource& source = sources[i];
        const Report& report = scene.workspace.report(source.report);
        const ReportLod& lod = *scene.lods[source.report.value];
        const PixelScale scale(scene.alignment.map(source.report).traceFromAligned(range), width);
        const LodRow row = source.kind == RowSource::Kind::busy
                               ? lod.busyRows()[source.busyRow].row(report, lod.slices())
                               : lod.slices().row(report, source.track, 0);
        layOutSlices(row, {report, lod, scale, nullptr}, parts[i]);
    });
    DisplayRow out;
    out.shape = RowShape::busy;
    if (!parts.empty()) averageRows(parts, width, out);
    return out;
}

} // namespace lockstep
