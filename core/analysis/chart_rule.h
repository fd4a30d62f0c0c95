// SPDX-License-Identifier: Apache-2.0
// ChartRule: states how an analysis draws its table, by the names of its columns. Declared with the analysis
// (Analysis::charts), applied by chartOfTable(). Value type. Thread: any.
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

// Names are matched case-insensitively, because group columns begin with a capital letter. The table has all
// columns of the rule, and at least one of the labels, which only a series may lack.
struct ChartRule {
    ChartKind kind = ChartKind::bars;
    std::vector<std::string_view> labels; // the first label for which all rows have a value names the rows;
                                          // in a heat map, the labels that distinguish the lines do
    std::vector<std::string_view> values;
    std::string_view along = {}, until = {}; // axis of a heat map, histogram or series; end of a bar
    std::string_view low = {}, high = {};    // 95% interval of the value
    bool needsAllLabels = false;             // all labels together name a row
};

} // namespace lockstep
