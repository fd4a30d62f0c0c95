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
    std::vector<std::string_view> labels; // rows are named by the first label that is never empty, lines of a
                                          // heat map by as many labels as needed to tell them apart
    std::vector<std::string_view> values;
    std::string_view along = {};          // axis of a heat map, histogram or series
    std::string_view until = {};          // end of each bar of a histogram
    std::string_view low = {}, high = {}; // 95% interval of the value
    bool needsAllLabels = false;          // rows are named by all labels together
};

} // namespace lockstep
