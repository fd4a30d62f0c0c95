// SPDX-License-Identifier: Apache-2.0
// AreaAggregate: sums up the contents of selected areas by name, category, lane, rank or phase. Sums and
// unions cover the part inside an area. Clipped slices are counted, but they are excluded from Min, Avg, Med,
// Max and StdDev unless the request includes them. Pure. Thread: any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/area_rows.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/table.h"

namespace lockstep {

// phase: the reinforcement-learning phase that was active in the slice's process when the slice began (see
// rlPhaseOf()).
enum class AreaGroup : uint8_t { name, category, lane, rank, phase };
inline constexpr size_t kAreaGroups = 5;
// "name", "category" ...
std::string_view areaGroupName(AreaGroup by);

struct AreaGroupRow {
    std::string label;                             // empty: not recorded
    SliceCategory category = SliceCategory::other; // category of the longest slice
    int64_t sum_ns = 0;                            // sum of the slice parts inside the area
    int64_t union_ns = 0;                          // time during which at least one slice was running, on the
                                                   // aligned axis
    uint64_t count = 0;                            // slices and instants
    uint64_t cut = 0;                              // number of these that are clipped
    DurationStatistics statistics; // statistics of the unclipped slices; with Clip::include, of all slices,
                                   // each counted with its part inside the area
    SliceRef longest;              // slice with the longest part inside the area; ties: the first by report
                                   // and row

    friend bool operator==(const AreaGroupRow&, const AreaGroupRow&) = default;
};

struct AreaAggregate {
    std::vector<AreaGroupRow> rows; // sorted by sum (largest first), then by count and label
    AreaGroupRow total;
    size_t laneCount = 0; // number of lanes with slices inside the area
    Duration length;      // total length of the areas, overlaps counted once; 0 if only individual slices are
                          // selected
};

// Cost: O(slices) on all workers, 8 bytes per slice. The only possible error is `canceled`. segmentRows: each
// worker processes a segment of the time in which about this many slices begin.
inline constexpr uint64_t kAreaSegmentRows = 1 << 16;
Result<AreaAggregate> aggregateArea(const Scene& scene, const AreaQuery& request, AreaGroup by,
                                    const Progress& progress, uint64_t segmentRows = kAreaSegmentRows);

// Returns the aggregate as a table "area_by_NAME": one row per group, in the same order. The table's rules
// state how clipped slices were counted.
Table areaTable(const AreaAggregate& aggregate, AreaGroup by, Clip clip);

} // namespace lockstep
