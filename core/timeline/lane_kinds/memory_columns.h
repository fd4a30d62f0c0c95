// SPDX-License-Identifier: Apache-2.0
// Memory columns: the shapes that represent one history on a row, pixel by pixel: areas, line, marks and
// labels. Part of MemoryLane. Pure. O(width * strides per pixel).
#pragma once

#include <array>
#include <vector>

#include "core/memory/memory_lod.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/memory_pointing.h"

namespace lockstep {

inline constexpr uint16_t kNoOutline = 0xFFFF; // reserved memory is unknown

// A device's memory within one pixel, at the pixel's point in time with the most active memory.
struct MemoryColumnShape {
    uint16_t x = 0; // in pixels from the first time pixel
    // Position of the line for reserved memory, in pixels from the row's top; kNoOutline: no line.
    uint16_t outline = 0;
    MemoryMoment moment = 0;
    // Upper edge of each group, in pixels from the row's top. Each group is on top of the previous one; the
    // first is at the bottom of the row.
    std::array<uint16_t, kMemoryGroups> tops{};

    bool hasSameShape(const MemoryColumnShape& other) const
    {
        return outline == other.outline && tops == other.tops;
    }
};

// An instant that is marked by a line on the row.
struct MemoryMark {
    uint16_t x = 0;
    bool isAlarm = false; // out of memory
    SliceId slice;
};

struct MemoryRowData {
    std::vector<MemoryColumnShape> columns; // ascending by x
    std::array<Ink, kMemoryGroups> inks;    // inks of the areas
    std::vector<uint16_t> ticks;            // grid lines below the areas, in pixels from the row's top
    std::vector<MemoryMark> marks;          // ascending by x
    int width = 0;                          // width of the grid lines
};

// Returns the value at the top of a lane, or the values for grid lines and labels. These are round numbers
// above 0, in ascending order.
double memoryScaleTop(const Lane& lane);
std::vector<double> memoryTicks(double top);
// Converts a size in bytes to a position, in pixels from the top of a row with this height.
int memoryHeightOf(double size_bytes, double top, int height, const FrameMetrics& metrics);

// height: of the row, in pixels.
void fillMemoryColumns(const LaneFrame& frame, const MemoryPlace& place, int height, MemoryRowData& out);
// Adds allocator instants and starts of annotated steps, at most one per pixel; alarms (out-of-memory marks)
// take precedence.
void fillMemoryMarks(const LaneFrame& frame, const MemoryPlace& place, MemoryRowData& out);
// Labels each area that has enough room, at its widest place. `data`: filled by the functions above.
void fillMemoryLabels(const LaneFrame& frame, const MemoryPlace& place, const MemoryRowData& data,
                      DisplayRow& row);

// Returns the ink of an area.
Ink memoryInk(const MemoryPlace& place, uint8_t group, MemoryLook look);

} // namespace lockstep
