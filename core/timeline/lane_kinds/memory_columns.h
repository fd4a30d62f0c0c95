// SPDX-License-Identifier: Apache-2.0
// Memory columns: the shapes of one history over the pixels of a row: areas, line, marks and words. Part of
// MemoryLane; pure, O(width * strides a pixel).
#pragma once

#include "core/timeline/lane_kind.h"
#include "core/timeline/memory_pointing.h"

namespace lockstep {

// The values at the top of a lane, and those between that lines and chips tell: round, rising, above 0.
double memoryScaleTop(const Lane& lane);
std::vector<double> memoryTicks(double top);
// Pixels from the top of a row of this height.
int memoryHeightOf(double size_bytes, double top, int height, const FrameMetrics& metrics);

void fillMemoryColumns(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);
// Instants of the allocator and beginnings of annotated steps, one a pixel, alarms first.
void fillMemoryMarks(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);
// A word in the widest place of each area that has room for it. After fillMemoryColumns().
void fillMemoryLabels(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);

// How an area is painted.
Ink memoryInk(const MemoryPlace& place, uint8_t group, MemoryLook look);

} // namespace lockstep
