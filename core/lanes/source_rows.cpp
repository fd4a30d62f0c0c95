// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/source_rows.h"

namespace lockstep {

uint16_t depthCountOf(const Report& report, const ReportLod& lod, const RowSource& source)
{
    if (source.kind == RowSource::Kind::busy) return 1;
    if (source.kind == RowSource::Kind::projection) return lod.projections()[source.projection].depthCount();
    return report.track(source.track).depthCount;
}

LodRow rowOf(const Report& report, const ReportLod& lod, const RowSource& source, uint16_t depth)
{
    if (source.kind == RowSource::Kind::busy) return lod.busyRows()[source.busyRow].row(report, lod.slices());
    if (source.kind == RowSource::Kind::projection) return lod.projections()[source.projection].row(depth);
    return lod.slices().row(report, source.track, depth);
}

} // namespace lockstep
