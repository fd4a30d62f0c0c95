// SPDX-License-Identifier: Apache-2.0
// HistogramBars: the bars and axes of a histogram of durations. The histograms of documents, of the chart
// next to a table and of a selection are all drawn from this value. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/chart_axis.h"
#include "core/analysis/table_chart.h"

namespace lockstep {

struct DurationHistogram;

struct HistogramBars {
    struct Bar {
        double from_ns = 0, to_ns = 0;
        double count = 0; // at least 0
        int id = 0;       // row of the table, or number of the bar in the DurationHistogram
    };
    std::vector<Bar> bars;
    ChartAxis durations, counts;
    std::string name;      // name in the label columns of the table
    std::string countName; // label of the count column
    size_t otherRows = 0;  // rows with other names
};

// Returns the bars for the name in a row of the table. chart: its kind is histogram.
HistogramBars histogramBarsOf(const Table& table, const TableChart& chart, size_t namedRow);
HistogramBars histogramBarsOf(const DurationHistogram& histogram);

} // namespace lockstep
