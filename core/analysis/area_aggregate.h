// SPDX-License-Identifier: Apache-2.0
// AreaAggregate: what lies in selected areas, summed up by name, category, lane, rank or phase. Sums and
// unions are of the part inside; what the areas cut is counted and, unless the request includes it, left out
// of Min, Avg, Med, Max and StdDev. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/area_rows.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/table.h"

namespace lockstep {

// phase: of reinforcement learning, in which the slice began in its process (see rlPhaseOf()).
enum class AreaGroup : uint8_t { name, category, lane, rank, phase };
inline constexpr size_t kAreaGroups = 5;
// "name", "category" ...
std::string_view areaGroupName(AreaGroup by);

struct AreaGroupRow {
    std::string label;                             // empty: no file says it
    SliceCategory category = SliceCategory::other; // of the longest slice
    int64_t sum_ns = 0;                            // of the parts inside
    int64_t union_ns = 0;                          // time in which at least one of them went on, aligned
    uint64_t count = 0;                            // slices and instants
    uint64_t cut = 0;                              // of them, those that an area cuts
    DurationStatistics statistics; // of the uncut ones; with Clip::include of all, with the part inside
    SliceRef longest;              // by its part inside; of equal ones the first by report and row

    friend bool operator==(const AreaGroupRow&, const AreaGroupRow&) = default;
};

struct AreaAggregate {
    std::vector<AreaGroupRow> rows; // by sum, the largest first, then by count and label
    AreaGroupRow total;
    size_t laneCount = 0; // lanes with slices inside
    Duration length;      // of the areas, what they share once; 0 of picked slices alone
};

// O(slices) on all workers, 8 bytes for each. canceled is the only error. stretchRows: about so many slices
// begin in the stretch of time that a worker counts at once.
inline constexpr uint64_t kAreaStretchRows = 1 << 16;
Result<AreaAggregate> aggregateArea(const Scene& scene, const AreaQuery& request, AreaGroup by,
                                    const Progress& progress, uint64_t stretchRows = kAreaStretchRows);

// The same as a table "area_by_NAME": a row a group, in the same order, its rules saying what was cut and
// where it counts.
Table areaTable(const AreaAggregate& aggregate, AreaGroup by, Clip clip);

} // namespace lockstep
