// SPDX-License-Identifier: Apache-2.0
// DurationHistogram: how long the slices of a selection, or of one of its groups, took: counted in bars of
// equal width on a log scale of time, with the median and the 95th percentile, which are exact. Pure; any
// thread.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/area_aggregate.h"

namespace lockstep {

struct DurationHistogram {
    static constexpr int kBarsADecade = 12;

    int first = 0; // bars count from 1 ns: bar b holds [edgeOf(b), edgeOf(b + 1)); 0 and less are in bar 0
    std::vector<uint64_t> bars; // from `first` on; none where nothing counts
    uint64_t count = 0;         // of all bars
    uint64_t cut = 0;           // slices that an area's edge cuts; with Clip::exclude in no bar
    int64_t median_ns = 0;      // of an even count the lower of the two middle ones
    int64_t p95_ns = 0;         // the least that at least 95 of 100 do not exceed
    int64_t max_ns = 0;

    // The shortest whole duration of a bar, ns.
    static int64_t edgeOf(int bar);
    static int barOf(int64_t duration_ns);
};

// label: only the slices of this group, as the aggregate names it; absent: all. O(slices) on all workers, 8
// bytes for each. canceled.
Result<DurationHistogram> durationHistogram(const Scene& scene, const AreaQuery& query, AreaGroup by,
                                            const std::optional<std::string>& label,
                                            const Progress& progress);

// Those of them that the bars [firstBar, lastBar] hold. canceled.
Result<SliceList> slicesOfBars(const Scene& scene, const AreaQuery& query, AreaGroup by,
                               const std::optional<std::string>& label, int firstBar, int lastBar,
                               const Progress& progress);

} // namespace lockstep
