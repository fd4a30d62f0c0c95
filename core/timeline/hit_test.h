// SPDX-License-Identifier: Apache-2.0
// hitTest(): what lies under a point of a frame, found in the display list that was drawn. Pure.
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

struct Hit {
    enum class Part : uint8_t {
        nothing,
        header,   // a lane's header
        triangle, // its fold
        lane,     // a lane's empty time
        box,      // one slice
        column,   // one pixel of narrow slices
        counter,
        hatch,
        heat,   // a line of a rank map
        choice, // a word that can be clicked
        memory  // a device's memory at a moment
    };

    Part part = Part::nothing;
    uint32_t lane = 0;              // meaningful unless part is nothing
    const LaneKind* kind = nullptr; // of the lane; the same
    SliceRef slice; // of boxes, and the longest of columns where the list knows it; invalid on busy rows
    TrackRef track; // of the row
    uint16_t depth = 0;
    int x = 0;                          // of the column that was met, from the first time pixel
    uint32_t count = 0;                 // slices under the point: 1 for boxes
    uint8_t occupancy = 0;              // of columns, 0..255
    double value = 0;                   // of counters
    bool isSummary = false;             // a collapsed lane's row
    std::shared_ptr<const RankMap> map; // of heat
    uint32_t mapLine = 0;               // of it
    uint32_t mapRank = 0;               // of its ranks: whom the line speaks for, or one that was chosen
    int choice = -1;                    // see LaneText
    TimeRange gap;           // aligned: that is folded where the point is, and nothing drawn; empty: none
    MemoryMoment moment = 0; // of memory: the one that the pixel shows ...
    uint8_t group = kMemoryGroups; // ... and the area that was met; kMemoryGroups: above all of them

    bool isInHeader() const { return part == Part::header || part == Part::triangle; }
};

// slack: pixels to either side within which a column or box is still found when the point itself is free, so
// that slices a pixel wide can be met with a mouse; FrameMetrics::hitSlack unless said.
Hit hitTest(const DisplayList& list, int x, int y, std::optional<int> slack = std::nullopt);

// The slice that a hit stands for: its own, or the longest of a crowded column, looked up in the LOD. O(log
// slices).
SliceRef sliceOf(const Scene& scene, const DisplayList& list, const Hit& hit);

} // namespace lockstep
