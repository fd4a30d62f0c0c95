// SPDX-License-Identifier: Apache-2.0
// ChartAxis: the range of one axis of a chart, the positions of values on the axis, and its ticks at round
// values. Charts in documents and charts in the window use the same axes. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

// AxisUnit is the unit of an axis: for times, a unit that keeps the numbers short; otherwise the column's own
// unit.
struct AxisUnit {
    std::string name; // "ms"; empty for plain counts
    double size = 1;  // size of this unit in the unit of the data
};
AxisUnit timeUnitOf(double largest_ns);
AxisUnit axisUnitOf(const TableColumn& column, double largest);

struct AxisTick {
    double value = 0; // in the unit of the data
    std::string text; // label without the name of the axis unit
};

enum class AxisScale : uint8_t {
    linear,
    whole,      // linear, with ticks at whole numbers only
    logarithmic // durations in ns, greater than 0
};

struct ChartAxis {
    double from = 0, to = 1; // in the unit of the data
    AxisUnit unit = {};      // unit of linear labels; each label of a logarithmic axis names its own unit
    AxisScale scale = AxisScale::linear;

    // Returns the position of a value: 0 at `from`, 1 at `to`. Values outside the range have positions
    // outside 0..1. All values of an empty range are in the middle.
    double shareOf(double value) const;
    // Returns about `count` ticks in ascending order: multiples of 1, 2 or 5 times a power of ten or, on a
    // logarithmic axis, powers of ten. A logarithmic axis that is shorter than a power of ten has ticks at
    // its ends. An empty range has a single tick. The result is empty unless from <= to and both are finite.
    std::vector<AxisTick> ticks(size_t count) const;
};

} // namespace lockstep
