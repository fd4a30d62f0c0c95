// SPDX-License-Identifier: Apache-2.0
// Memory columns: the shapes that represent one history on a row, pixel by pixel: areas, line, marks and
// labels. Part of MemoryLane. Pure. O(width * strides per pixel).
#pragma once

#include "core/timeline/lane_kind.h"
#include "core/timeline/memory_pointing.h"

namespace lockstep {

// Returns the value at the top of a lane, or the values for grid lines and labels. These are round numbers
// above 0, in ascending order.
double memoryScaleTop(const Lane& lane);
std::vector<double> memoryTicks(double top);
// Converts a size in bytes to a position, in pixels from the top of a row with this height.
int memoryHeightOf(double size_bytes, double top, int height, const FrameMetrics& metrics);

void fillMemoryColumns(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);
// Adds allocator instants and starts of annotated steps, at most one per pixel; alarms (out-of-memory marks)
// take precedence.
void fillMemoryMarks(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);
// Labels each area that has enough room, at its widest place. Call after fillMemoryColumns().
void fillMemoryLabels(const LaneFrame& frame, const MemoryPlace& place, DisplayRow& row);

// Returns the ink of an area.
Ink memoryInk(const MemoryPlace& place, uint8_t group, MemoryLook look);

} // namespace lockstep
