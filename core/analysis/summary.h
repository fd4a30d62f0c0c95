// SPDX-License-Identifier: Apache-2.0
// summarize(): the one way a table of sums per name is made. A SummaryRule says which slices count, how they
// are grouped and what is summed; rows of all tracks are gathered in parallel, and each group gets its
// DurationStatistics.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/row_kinds.h"

namespace lockstep {

// A slice that counts.
struct SummaryPick {
    uint32_t row = 0;
    uint64_t key = 0;   // slices of one track with equal keys are one group
    TimeRange range;    // on the report's clock
    int64_t amount = 0; // what is summed where the rule has amounts, e.g. bytes; negative: none is known
};

struct SummaryRule {
    // Adds what counts of rows [first, last) of a report. Called for some thousand rows at once, from any
    // worker.
    using Pick = std::function<void(ReportKey, const Report&, uint32_t first, uint32_t last,
                                    std::vector<SummaryPick>&)>;

    Pick pick;
    // The texts that name a group, one per label column, the name last; groups of equal labels are joined.
    std::function<std::vector<std::string>(const Report&, const Track&, uint64_t key)> labels;
    bool hasAmounts = false; // else durations are summed
    // What Clip::exclude keeps out of the statistics is counted beside them; else it is in no group at all.
    bool keepsCut = false;
    // Where to add how many that would count have no amount; may be null.
    std::atomic<uint64_t>* withoutAmount = nullptr;
};

struct EverySlice {
    bool operator()(const Report&, SliceId) const { return true; }
};

// The slices of these kinds that `counts` holds true, keyOf(report, slice) their key; both are called in a
// loop of their own, so that a table costs no indirect call a slice.
template<class KeyOf, class Counts = EverySlice>
SummaryRule::Pick pickSlices(RowKinds kinds, KeyOf keyOf, Counts counts = {})
{
    return
        [=](ReportKey, const Report& report, uint32_t first, uint32_t last, std::vector<SummaryPick>& out) {
            for (uint32_t row = first; row < last; ++row) {
                const SliceId slice(row);
                if (holds(kinds, report.slices.kind[row]) && counts(report, slice))
                    out.push_back({row, keyOf(report, slice), report.slices.range(slice)});
            }
        };
}

// All instances of one group, over all reports in scope.
struct SummaryGroup {
    GroupKey group;
    std::vector<std::string> labels;
    DurationStatistics statistics;          // with Clip::exclude of what the time range does not cut
    SliceRef longest;                       // the largest instance; of equal ones the first by report and row
    int64_t cut = 0;                        // instances that the time range cuts
    int64_t leftOut = 0, leftOut_total = 0; // of them, those beside the statistics, and their parts inside

    int64_t count() const { return statistics.count + leftOut; }
    int64_t total() const { return statistics.total + leftOut_total; }
};

// Sorted by group, then by total (largest first), then count, then labels. canceled is the only error.
// A slice counts when it overlaps the scope's time range, an instant when it lies in it; durations are
// clipped to the range, amounts are not. Clip::exclude: see SummaryRule::keepsCut.
Result<std::vector<SummaryGroup>> summarize(const SummaryRule& rule, const AnalysisRequest& request,
                                            const Progress& progress);

// The leading column that names the group; adds nothing for GroupBy::total.
void addGroupColumn(Table& table, GroupBy by);
void setGroup(Table& table, GroupBy by, const GroupKey& group);

// A whole table of times: the group column, then Time (%), Total Time, countName, Avg, Med, Min, Max, StdDev,
// then the label columns (texts, one per label of the rule). Percentages are of the sum of the Total Times
// listed in the group. What the time range cuts counts with its part inside; with Clip::exclude in Total Time
// and countName alone. The table's source says how many there are and which way it was done.
Result<Table> timeSummaryTable(const SummaryRule& rule, const AnalysisRequest& request,
                               std::string_view title, std::string_view countName,
                               const std::vector<TableColumn>& labelColumns, const Progress& progress);

} // namespace lockstep
