// SPDX-License-Identifier: Apache-2.0
// hitTest(): finds the shape at a point in a frame, using the display list from which the frame was drawn.
// Pure.
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

struct Hit {
    enum class Part : uint8_t {
        nothing,
        header,   // a lane's header
        triangle, // its expand/collapse triangle
        lane,     // the empty area of a lane
        box,      // one slice
        column,   // one pixel with narrow slices
        shape,    // another shape of the lane's kind, see `data`
        choice    // a clickable text
    };

    Part part = Part::nothing;
    uint32_t lane = 0;              // undefined if part is nothing
    const LaneKind* kind = nullptr; // kind of the lane; undefined if part is nothing
    SliceRef slice; // set for boxes, and for columns whose longest slice is in the display list; invalid on
                    // busy rows
    TrackRef track; // track of the row
    uint16_t depth = 0;
    int x = 0;             // x of the column found, from the first time pixel
    uint32_t count = 0;    // number of slices at this point; 1 for boxes
    uint8_t occupancy = 0; // occupancy of a column, 0..255
    int choice = -1;       // choice of the clickable text that was hit, see LaneText
    TimeRange gap; // aligned: the collapsed gap at this point if nothing is drawn there; otherwise empty
    KindData data; // set by the kind of the lane

    bool isInHeader() const { return part == Part::header || part == Part::triangle; }
};

// slack: if there is nothing at the exact point, columns and boxes within this distance in pixels are found,
// so that one-pixel slices can be clicked. The default is FrameMetrics::hitSlack.
Hit hitTest(const DisplayList& list, int x, int y, std::optional<int> slack = std::nullopt);

// Returns the slice at a hit: the hit's own slice or, in a crowded column, the longest slice, which is looked
// up in the LOD. O(log slices).
SliceRef sliceOf(const Scene& scene, const DisplayList& list, const Hit& hit);

} // namespace lockstep
