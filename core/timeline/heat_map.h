// SPDX-License-Identifier: Apache-2.0
// HeatMap: an image in a row, one color per cell. A lane kind provides it through LaneKind::heat().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/row_kind.h"

namespace lockstep {

// A pixel of a map: the color of a category, blended with the idle color; from 0 (idle) to 255 (full color).
struct HeatCell {
    static constexpr SliceCategory kNoReport = SliceCategory::count; // hatched, because the rank has no
                                                                     // report

    SliceCategory category = SliceCategory::other;
    uint8_t part = 0;

    friend bool operator==(const HeatCell&, const HeatCell&) = default;
};

// Stacked lines of cells. Each line is as wide as the row and has its own height.
struct HeatMap {
    struct Line {
        int top = 0; // pixels from the row's top
        int bottom = 0;
        bool isOutlier = false;
    };

    int width = 0;
    std::vector<Line> lines;
    std::vector<HeatCell> cells; // there are `width` cells per line

    const HeatCell* lineAt(size_t line) const { return cells.data() + line * static_cast<size_t>(width); }
};

} // namespace lockstep
