// SPDX-License-Identifier: Apache-2.0
// summarize(): the one way a table of sums per name is made. A SummaryRule says which slices count, how they
// are grouped and what is summed; rows of all tracks are gathered in parallel, and each group gets its
// DurationStatistics.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/row_kinds.h"

namespace lockstep {

struct SummaryRule {
    RowKinds kinds = 0;
    // Which slices of these kinds count; absent = all. Called as key is.
    std::function<bool(const Report&, SliceId)> counts = {};
    // Slices of one track with equal keys are one group. Called once per slice from any worker.
    std::function<uint64_t(const Report&, SliceId)> key;
    // The texts that name a group, one per label column, the name last; groups of equal labels are joined.
    std::function<std::vector<std::string>(const Report&, const Track&, uint64_t key)> labels;
    // Where a slice ends, on the report's clock; absent = where the table of slices says. For ranges left
    // open.
    std::function<TraceTime(ReportKey, SliceId)> end;
    // What is summed instead of the duration, e.g. bytes; negative = the slice does not count.
    std::function<int64_t(const Report&, SliceId)> amount;
};

// All instances of one group, over all reports in scope.
struct SummaryGroup {
    GroupKey group;
    std::vector<std::string> labels;
    DurationStatistics statistics;
    SliceRef longest; // the largest instance; of equal ones the first by report and row
};

// Sorted by group, then by total (largest first), then count, then labels. canceled is the only error.
// A slice counts when it overlaps the scope's time range, an instant when it lies in it; durations are
// clipped to the range, amounts are not.
Result<std::vector<SummaryGroup>> summarize(const SummaryRule& rule, const AnalysisRequest& request,
                                            const Progress& progress);

// The leading column that names the group; adds nothing for GroupBy::total.
void addGroupColumn(Table& table, GroupBy by);
void setGroup(Table& table, GroupBy by, const GroupKey& group);

// A whole table of times: the group column, then Time (%), Total Time, countName, Avg, Med, Min, Max, StdDev,
// then the label columns (texts, one per label of the rule). Percentages are of the sum of the Total Times
// listed in the group.
Result<Table> timeSummaryTable(const SummaryRule& rule, const AnalysisRequest& request,
                               std::string_view title, std::string_view countName,
                               const std::vector<TableColumn>& labelColumns, const Progress& progress);

} // namespace lockstep
