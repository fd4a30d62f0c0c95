// SPDX-License-Identifier: Apache-2.0
// CounterLane: values over time, two rows high. The min-max range of each pixel is drawn in full color, the
// area below it in a lighter shade.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

// The values of a counter within one pixel, as fractions of the lane's scale from 0 (bottom) to 1 (top).
struct CounterColumn {
    uint16_t x = 0;
    float min = 0;
    float max = 0;
    double last = 0; // in the unit of the track
};

struct CounterHitData {
    double value = 0; // in the unit of the track
};

struct CounterRowData {
    std::vector<CounterColumn> columns; // ascending by x; only pixels with a known value
};

} // namespace lockstep
