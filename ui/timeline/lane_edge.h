// SPDX-License-Identifier: Apache-2.0
// LaneEdge: the lower edge of a lane's header, by which its rows are made taller or lower: where it is met,
// and how tall they become while the mouse drags it. Pure, of a display list; used by the canvas.
#pragma once

#include <string>

#include "core/timeline/display_list.h"

namespace lockstep {

struct LaneEdge {
    std::string lane; // its key; "": no edge is met
    int top = 0;      // of the lane, in the frame
    int rows = 1;     // that share its height

    bool isMet() const { return !lane.empty(); }
    // With the mouse at y: of a row, in pixels at scale 1.
    int rowHeightAt(int y, const FrameMetrics& metrics) const;

    // In device pixels of the frame. Lanes that are as tall as their kind makes them have none.
    static LaneEdge at(const DisplayList& list, int x, int y);
};

} // namespace lockstep
