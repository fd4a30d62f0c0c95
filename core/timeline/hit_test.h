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
        counter,
        hatch,
        heat,   // a line in a rank map
        choice, // a clickable text
        memory  // memory of a device at a point in time
    };

    Part part = Part::nothing;
    uint32_t lane = 0;              // undefined if part is nothing
    const LaneKind* kind = nullptr; // kind of the lane; undefined if part is nothing
    SliceRef slice; // set for boxes, and for columns whose longest slice is in the display list; invalid on
                    // busy rows
    TrackRef track; // track of the row
    uint16_t depth = 0;
    int x = 0;                          // x of the column found, from the first time pixel
    uint32_t count = 0;                 // number of slices at this point; 1 for boxes
    uint8_t occupancy = 0;              // occupancy of a column, 0..255
    double value = 0;                   // value of a counter
    bool isSummary = false;             // the row belongs to a collapsed lane
    std::shared_ptr<const RankMap> map; // for rank maps
    uint32_t mapLine = 0;               // for rank maps
    uint32_t mapRank = 0;    // index in the map's ranks: the rank that represents the line, or the rank that
                             // was chosen
    int choice = -1;         // choice of the clickable text that was hit, see LaneText
    TimeRange gap;           // aligned: the collapsed gap at this point if nothing is drawn there; otherwise
                             // empty
    MemoryMoment moment = 0; // for memory lanes: the moment that the pixel shows
    uint32_t item = 0;       // for lanes with data of their own: see SliceBox::item
    uint8_t group = kMemoryGroups; // for memory lanes: the area that was hit; kMemoryGroups: above all areas

    bool isInHeader() const { return part == Part::header || part == Part::triangle; }
};

// slack: if there is nothing at the exact point, columns and boxes within this distance in pixels are found,
// so that one-pixel slices can be clicked. The default is FrameMetrics::hitSlack.
Hit hitTest(const DisplayList& list, int x, int y, std::optional<int> slack = std::nullopt);

// Returns the slice at a hit: the hit's own slice or, in a crowded column, the longest slice, which is looked
// up in the LOD. O(log slices).
SliceRef sliceOf(const Scene& scene, const DisplayList& list, const Hit& hit);

} // namespace lockstep
