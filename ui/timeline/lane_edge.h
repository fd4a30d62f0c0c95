// SPDX-License-Identifier: Apache-2.0
// LaneEdge is the lower edge of a lane's header. Dragging the edge changes the row height of the lane. The
// struct finds the edge under the mouse and computes the new row height. Pure functions of a display list,
// used by the canvas.
#pragma once

#include <string>

#include "core/timeline/display_list.h"

namespace lockstep {

struct LaneEdge {
    std::string lane; // key of the lane; "" if there is no edge
    int top = 0;      // top of the lane in the frame, device pixels
    int rows = 1;     // number of rows that share the height

    bool isMet() const { return !lane.empty(); }
    // Returns the row height, in pixels at scale 1, that results if the edge is dragged to the mouse position
    // y.
    int rowHeightAt(int y, const FrameMetrics& metrics) const;

    // Returns the edge at a position in device pixels of the frame. Lanes with a fixed height have no edge.
    static LaneEdge at(const DisplayList& list, int x, int y);
};

} // namespace lockstep
