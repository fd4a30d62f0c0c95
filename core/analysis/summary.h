// SPDX-License-Identifier: Apache-2.0
// summarize(): builds all tables with sums by name. A SummaryRule defines which slices are counted, how they
// are grouped and what is summed. Rows from all tracks are collected in parallel; DurationStatistics are then
// computed for each group.
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

// A counted slice.
struct SummaryPick {
    uint32_t row = 0;
    uint64_t key = 0;   // slices on one track that have equal keys form one group
    TimeRange range;    // on the report's clock
    int64_t amount = 0; // amount to be summed, for example bytes, if the rule sums amounts; negative: unknown
};

struct SummaryRule {
    // Adds the counted rows in [first, last) of a report. Called for some thousand rows at a time, on any
    // worker.
    using Pick = std::function<void(ReportKey, const Report&, uint32_t first, uint32_t last,
                                    std::vector<SummaryPick>&)>;

    Pick pick;
    // Returns the strings that identify a group: one per label column, with the name last. Groups with equal
    // labels are merged.
    std::function<std::vector<std::string>(const Report&, const Track&, uint64_t key)> labels;
    bool hasAmounts = false; // true: amounts are summed; false: durations are
    // If true, slices excluded from the statistics by Clip::exclude are still counted; otherwise they do not
    // belong to any group.
    bool countsClipped = false;
    // Receives the number of slices that are not counted because their amount is unknown; may be nullptr.
    std::atomic<uint64_t>* unknownAmounts = nullptr;
};

struct EverySlice {
    bool operator()(const Report&, SliceId) const { return true; }
};

// Selects slices of these kinds for which `counts` returns true; keyOf(report, slice) is their key. Both
// functions are inlined into a dedicated loop, so no indirect call per slice is needed.
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
    DurationStatistics statistics; // with Clip::exclude, statistics of only those slices that are not clipped
                                   // by the time range
    SliceRef longest;              // the largest instance; ties: the first by report and row
    int64_t cut = 0;               // number of instances clipped by the time range
    int64_t excluded = 0,
            excluded_total = 0; // number of clipped instances that are excluded from the statistics, and the
                                // sum of their parts inside the time range

    int64_t count() const { return statistics.count + excluded; }
    int64_t total() const { return statistics.total + excluded_total; }
};

// Returns the summaries sorted by group, then by total (largest first), then by count, then by labels. A
// slice is counted if it overlaps the scope's time range; an instant is counted if it is inside the range.
// Durations are clipped to the range; amounts are not. For Clip::exclude, see SummaryRule::countsClipped. The
// only possible error is `canceled`.
Result<std::vector<SummaryGroup>> summarize(const SummaryRule& rule, const AnalysisRequest& request,
                                            const Progress& progress);

// Adds the leading column that names the group; does nothing for GroupBy::total.
void addGroupColumn(Table& table, GroupBy by);
void setGroup(Table& table, GroupBy by, const GroupKey& group);

// Positions of the columns in a table from timeSummaryTable().
struct TimeSummaryColumns {
    explicit TimeSummaryColumns(GroupBy by) : time(by == GroupBy::total ? 0 : 1) {}

    size_t time; // after the group column
    size_t total = time + 1, count = time + 2, average = time + 3, median = time + 4, minimum = time + 5,
           maximum = time + 6, deviation = time + 7;
    size_t labels = time + 8; // the first label column
};

// Builds a complete table of times: the group column, then Time (%), Total Time, countName, Avg, Med, Min,
// Max, StdDev, then the label columns (strings, one per label of the rule). Percentages are relative to the
// sum of the Total Times listed in the group. Clipped slices are counted with the part inside the time range.
// With Clip::exclude, they are counted only in Total Time and countName. The table's source states the number
// of clipped slices and the setting.
Result<Table> timeSummaryTable(const SummaryRule& rule, const AnalysisRequest& request,
                               std::string_view title, std::string_view countName,
                               const std::vector<TableColumn>& labelColumns, const Progress& progress);

} // namespace lockstep
