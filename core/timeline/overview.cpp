#include "core/timeline/overview.h"

#include "core/base/parallel.h"
#include "core/timeline/row_layout.h"

namespace lockstep {

DisplayRow layOutOverview(const Scene& scene, TimeRange range, int width)
{
    // Captures of one thing are united, things are averaged.
    std::vector<std::vector<RowSource>> things;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.kind != LaneKind::process) continue;
        uint32_t row = 0;
        for (const RowSource& source : lane.summary) {
            if (source.kind == RowSource::Kind::counter) continue;
            if (things.empty() || source.row != row || &source == lane.summary.data()) things.emplace_back();
            row = source.row;
            things.back().push_back(source);
        }
    }
    std::vector<DisplayRow> parts(things.size());
    parallelFor(things.size(), [&](size_t i, size_t) {
        std::vector<DisplayRow> captures(things[i].size());
        for (size_t n = 0; n < captures.size(); ++n) {
            const RowSource& source = things[i][n];
            const Report& report = scene.shown.report(source.report);
            const ReportLod& lod = *scene.lods[source.report];
            const PixelScale scale(scene.alignment.map(source.report).traceFromAligned(range), width);
            const LodRow row = source.kind == RowSource::Kind::busy
                                   ? lod.busyRows()[source.busyRow].row(report, lod.slices())
                                   : lod.slices().row(report, source.track, source.depth);
            layOutSlices(row, {report, lod, scale, nullptr}, captures[n]);
        }
        uniteRows(captures, width, parts[i]);
    });
    DisplayRow out;
    out.shape = RowShape::busy;
    averageRows(parts, width, out);
    return out;
}

} // namespace lockstep
