// SPDX-License-Identifier: Apache-2.0
// FrameMetrics: the fixed lengths of a frame, in device pixels, made once from the size of text and the
// screen's pixels. Layout, hit test, painter, PNG and SVG take every length from here, so that they agree at
// any scale. A value.
#pragma once

namespace lockstep {

struct FrameMetrics {
    double scale = 1;       // device pixels of one pixel at scale 1
    int rowHeight = 20;     // without the line under it
    int line = 1;           // between rows
    int indent = 14;        // a level of the tree
    int stripeLeft = 5;     // the role's stripe ...
    int stripe = 3;         // ... its width ...
    int stripeRoom = 12;    // ... and what it takes with the air around it
    int triangle = 14;      // of a fold
    int triangleReach = 16; // within which it is met
    int headerPadding = 8;
    int labelPadding = 4;   // on each side of a label on a slice
    int boxGap = 1;         // right of a slice ...
    int boxGapFrom = 4;     // ... that is at least this wide
    int hitSlack = 2;       // see hitTest()
    int mapHeight = 512;    // the most that the ranks of a map take
    int mapControls = 26;   // the line of choices above it
    int mapShare = 40;      // the share of ranks in each state
    int mapOutlier = 5;     // a rank that stands out
    int mapBar = 40;        // the bars of a map's header, each
    int memoryHeight = 128; // a device's memory ...
    int memoryFolded = 48;  // ... and folded
    int legendRow = 15;     // of its header
    int chip = 15;          // a value of its scale
    int flag = 17;          // out of memory ...
    int pole = 2;           // ... and what it stands on

    friend bool operator==(const FrameMetrics&, const FrameMetrics&) = default;

    int pitch() const { return rowHeight + line; }
    // Of rows that are this tall at scale 1; as tall as in at().
    int scaledRow(int atScaleOne) const;

    // rowHeight, mapHeight: at scale 1. Lines stay at least a pixel, rows at least four.
    static FrameMetrics at(double scale, int rowHeight = 20, int mapHeight = 512);
};

} // namespace lockstep
