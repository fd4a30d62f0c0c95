// SPDX-License-Identifier: Apache-2.0
// ChartRule describes a chart of an analysis by column names. It is declared with the analysis
// (Analysis::charts) and applied by chartOfTable(). Value type. Thread: any.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep {

enum class ChartKind : uint8_t {
    bars,      // one bar per row; the length is the value
    stacked,   // one bar per row, split into segments that are percentages of a total
    heatMap,   // one line per name, one column per point in time, one color per value
    histogram, // one bar per row, from one value to another
    series     // one value per step, with a line per name
};

// A rule applies to a table that has all of its columns. Of the labels, one is enough; a series needs none.
// Names are matched case-insensitively, because group columns begin with a capital letter.
struct ChartRule {
    ChartKind kind = ChartKind::bars;
    // Columns that name a row: the first one without empty cells, or all of them if each has empty cells. The
    // lines of a heat map are named by the shortest leading part of the list that distinguishes all of them.
    std::vector<std::string_view> labels;
    std::vector<std::string_view> values;
    std::string_view along = {};          // axis column of a heat map, histogram or series
    std::string_view until = {};          // column with the end of each histogram bar
    std::string_view low = {}, high = {}; // columns with the bounds of the value's 95% confidence interval
    bool needsAllLabels = false;          // a row is always named by all of its labels
};

} // namespace lockstep
