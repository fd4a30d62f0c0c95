// SPDX-License-Identifier: Apache-2.0
// SourceRows: the drawing rows of a RowSource that has slices: a track, a busy row, or a projection. Pure.
#pragma once

#include "core/lanes/lane.h"
#include "core/lanes/report_lod.h"

namespace lockstep {

// Returns the number of rows of a source that is not a counter or memory.
uint16_t depthCountOf(const Report& report, const ReportLod& lod, const RowSource& source);
// Returns a row of the source; `depth` is less than depthCountOf(). Valid as long as the report and its LOD.
LodRow rowOf(const Report& report, const ReportLod& lod, const RowSource& source, uint16_t depth);

} // namespace lockstep
