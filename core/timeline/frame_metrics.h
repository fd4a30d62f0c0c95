// SPDX-License-Identifier: Apache-2.0
// FrameMetrics: the fixed lengths in a frame, in device pixels, computed once from the text size and the
// screen's resolution. Layout, hit tests, painter, PNG and SVG output use these lengths, so they agree at any
// scale. Value type.
#pragma once

namespace lockstep {

struct FrameMetrics {
    double scale = 1;       // device pixels per logical pixel
    int rowHeight = 20;     // does not include the line below the row
    int line = 1;           // line between two rows
    int indent = 14;        // indent per level of the tree
    int stripeLeft = 5;     // left margin of the role's stripe
    int stripe = 3;         // width of the role's stripe
    int stripeRoom = 12;    // width of the role's stripe with its margins
    int triangle = 14;      // width of the expand/collapse triangle
    int triangleReach = 16; // distance within which a click hits the triangle
    int headerPadding = 8;
    int labelPadding = 4;   // padding on each side of a slice label
    int boxGap = 1;         // gap to the right of a slice
    int boxGapFrom = 4;     // minimum width of a slice that gets this gap
    int hitSlack = 2;       // search distance in pixels, see hitTest()
    int mapHeight = 512;    // height of all ranks in a map together
    int mapControls = 26;   // height of the line of choices above the map
    int mapShare = 40;      // height of the area that shows the share of ranks in each state
    int mapOutlier = 5;     // height of a rank that stands out
    int mapBar = 40;        // width of each bar in a map's header
    int memoryHeight = 128; // height of a memory lane
    int memoryFolded = 48;  // height of a collapsed memory lane
    int legendRow = 15;     // height of a row of the legend in a memory lane's header
    int chip = 15;          // height of the label of a scale value
    int flag = 17;          // height of an out-of-memory flag
    int pole = 2;           // width of the flag's pole

    friend bool operator==(const FrameMetrics&, const FrameMetrics&) = default;

    int pitch() const { return rowHeight + line; }
    // Converts a row height at scale 1 to device pixels.
    int scaledRow(int atScaleOne) const;

    // rowHeight and mapHeight are given at scale 1. Lines are at least one pixel high, rows at least four.
    static FrameMetrics at(double scale, int rowHeight = 20, int mapHeight = 512);
};

} // namespace lockstep
