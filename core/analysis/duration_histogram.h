// SPDX-License-Identifier: Apache-2.0
// DurationHistogram: the distribution of slice durations in a selection or in one of its groups. The bars
// have equal width on a logarithmic time scale; the median and the 95th percentile are exact. Pure. Thread:
// any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/area_aggregate.h"
#include "core/analysis/chart_axis.h"
#include "core/analysis/table_chart.h"

namespace lockstep {

struct DurationHistogram {
    static constexpr int kBarsADecade = 12;

    int first = 0; // bar b covers [edgeOf(b), edgeOf(b + 1)). Bars begin at 1 ns; values <= 0 are counted in
                   // bar 0
    std::vector<uint64_t> bars; // the first element is bar `first`; empty if nothing is counted
    uint64_t count = 0;         // sum of all bars
    uint64_t cut = 0;           // slices that extend beyond the edge of an area; with Clip::exclude they are
                                // not in any bar
    int64_t median_ns = 0;      // if the count is even, the lower of the two middle values
    int64_t p95_ns = 0;         // smallest value that at least 95% of the values do not exceed
    int64_t max_ns = 0;

    // Returns the shortest duration in a bar, in whole ns.
    static int64_t edgeOf(int bar);
    static int barOf(int64_t duration_ns);
};

// label: restricts the slices to the group with this name in the aggregate; nullopt means all groups. Cost:
// O(slices) on all workers, 8 bytes per slice. The only possible error is `canceled`.
Result<DurationHistogram> durationHistogram(const Scene& scene, const AreaQuery& query, AreaGroup by,
                                            const std::optional<std::string>& label,
                                            const Progress& progress);

// Returns the slices in bars [firstBar, lastBar]. The only possible error is `canceled`.
Result<SliceList> slicesOfBars(const Scene& scene, const AreaQuery& query, AreaGroup by,
                               const std::optional<std::string>& label, int firstBar, int lastBar,
                               const Progress& progress);

// HistogramBars: the bars and axes of a histogram of durations. The histograms of documents, of the chart
// next to a table and of a selection are all drawn from this value. Pure. Thread: any.

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
