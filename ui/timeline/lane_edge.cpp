// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_edge.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

constexpr double kReach = 3; // pixels at scale 1 above the edge; pixels below it belong to the next lane

} // namespace

LaneEdge LaneEdge::at(const DisplayList& list, int x, int y)
{
    if (x < 0 || x >= list.headerWidth) return {};
    const int reach = std::max(2, static_cast<int>(std::lround(kReach * list.metrics.scale)));
    for (const DisplayLane& lane : list.lanes) {
        const int bottom = lane.y + lane.height;
        const bool isInBand = lane.isPinned == (y < list.pinnedHeight);
        if (!isInBand || lane.rowHeight == 0 || y < bottom - reach || y >= bottom) continue;
        const int rows = std::max(1, lane.height / (lane.rowHeight + list.metrics.line));
        return {list.tree->lane(lane.lane).key, lane.y, rows};
    }
    return {};
}

int LaneEdge::rowHeightAt(int y, const FrameMetrics& metrics) const
{
    const double row = static_cast<double>(y - top) / rows - metrics.line;
    const int height = static_cast<int>(std::lround(row / metrics.scale));
    return std::clamp(height, kMinRowHeight, kMaxRowHeight);
}

} // namespace lockstep
