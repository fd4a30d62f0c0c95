// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/kernel_breakdown.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/rank_work.h"
#include "core/base/interval_set.h"

namespace lockstep {

namespace {

constexpr std::string_view kKernelBreakdownTitle = "Kernel breakdown by class or by name";
constexpr AnalysisArgument kNamesArgument{"names", "one row per name and rank instead of per class"};
constexpr std::array kKernelBreakdownArguments{kNamesArgument, kHtaArgument, kAllStepsArgument};
constexpr std::array kToldApart{KernelClass::computation, KernelClass::communication, KernelClass::memory};
constexpr size_t kStates = size_t(1) << kToldApart.size();

// Indexed by the bits of kToldApart. Contains the time during which exactly these classes ran. Also records
// whether this combination occurred at all, even if its time is 0.
struct StateTimes {
    std::array<int64_t, kStates> length_ns{};
    std::array<bool, kStates> isSeen{};
};

void addStates(const RankWork& work, StateTimes& times)
{
    struct Edge {
        TraceTime at;
        unsigned bit;
    };
    std::vector<Edge> edges;
    for (size_t i = 0; i < kToldApart.size(); ++i) {
        const auto ranges = IntervalSet::unionOf(mergedRanges(work.rowsOf(kToldApart[i])));
        for (const TimeRange& range : ranges.ranges()) {
            edges.push_back({range.begin, 1u << i});
            edges.push_back({range.end, 1u << i});
        }
    }
    std::ranges::stable_sort(edges, {}, &Edge::at);
    unsigned state = 0;
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
        state ^= edges[i].bit;
        times.length_ns[state] += (edges[i + 1].at - edges[i].at).ns;
        times.isSeen[state] = true;
    }
}

std::string stateName(size_t state)
{
    std::string name;
    for (size_t i = 0; i < kToldApart.size(); ++i) {
        if ((state >> i & 1) == 0) continue;
        name += (name.empty() ? "" : " overlapping ") + std::string(kernelClassName(kToldApart[i]));
    }
    return name;
}

Table byClass(const AnalysisRequest& request, std::span<const RankWork> works)
{
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    std::map<GroupKey, StateTimes> groups;
    for (const RankWork& work : works)
        addStates(work, groups[work.group]);
    Table table{std::string(request.what), std::string(kKernelBreakdownTitle)};
    table.headerStyle = HeaderStyle::identifier;
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    table.addColumn({"kernel_type", "", ColumnType::text, 0, "classes of work that ran concurrently"});
    table.addColumn(
        {"sum", "ns", ColumnType::time, 0, "time during which exactly these classes ran, summed over ranks"});
    table.addColumn({"percentage", "", ColumnType::percent, 1, "share of the sums of the group"});
    table.markSums({"sum"});
    for (const auto& [group, times] : groups) {
        int64_t whole_ns = 0;
        std::vector<size_t> states;
        for (size_t state = 1; state < kStates; ++state) {
            whole_ns += times.length_ns[state];
            // HTA also lists rows with a time of 0, for combinations in which one class ended exactly when
            // the other began.
            if (times.length_ns[state] > 0 || (isHta && times.isSeen[state])) states.push_back(state);
        }
        std::ranges::stable_sort(states, std::greater(),
                                 [&](size_t state) { return times.length_ns[state]; });
        for (const size_t state : states) {
            table.addRow();
            setGroup(table, request.scope.by, group);
            table.setText(first, stateName(state));
            table.setNumber(first + 1, times.length_ns[state]);
            if (whole_ns > 0)
                table.setNumber(first + 2,
                                roundedQuotient(__int128(times.length_ns[state]) * 1000, whole_ns));
        }
    }
    return table;
}

struct NamedKernels {
    std::vector<int64_t> durations_ns;
    SliceId longest;
    int64_t longest_ns = -1;
};

void addNames(const RankWork& work, const Report& report, size_t first, RankColumns& columns, Table& table)
{
    std::map<std::pair<KernelClass, StringId>, NamedKernels> named;
    for (const WorkRow& row : work.rows) {
        NamedKernels& kernels = named[{row.of, report.slices.name[row.slice.value]}];
        const int64_t ns = row.range.length().ns;
        kernels.durations_ns.push_back(ns);
        if (ns > kernels.longest_ns)
            std::tie(kernels.longest, kernels.longest_ns) = std::tuple(row.slice, ns);
    }
    struct Line {
        KernelClass of;
        std::string_view name;
        SliceId longest;
        DurationStatistics statistics;
    };
    std::vector<Line> lines;
    for (auto& [key, kernels] : named)
        lines.push_back({key.first, report.strings.at(key.second), kernels.longest,
                         durationStatistics(kernels.durations_ns)});
    std::ranges::sort(
        lines, {}, [](const Line& line) { return std::tuple(line.of, -line.statistics.total, line.name); });
    for (const Line& line : lines) {
        constexpr int64_t kThousandths = 1000;
        columns.addRow(work, line.longest);
        table.setText(first, line.name);
        table.setText(first + 1, kernelClassName(line.of));
        table.setNumber(first + 2, line.statistics.count);
        table.setNumber(first + 3, line.statistics.total);
        table.setNumber(first + 4, line.statistics.maximum);
        table.setNumber(first + 5, line.statistics.minimum);
        table.setNumber(first + 6, line.statistics.standardDeviation(kThousandths));
        table.setNumber(first + 7, line.statistics.average(kThousandths));
    }
}

Table byName(const AnalysisRequest& request, std::span<const RankWork> works)
{
    Table table{std::string(request.what), std::string(kKernelBreakdownTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"name", "", ColumnType::text, 0, "kernel name as recorded"});
    table.addColumn({"kernel_type", "", ColumnType::text, 0, "class"});
    table.addColumn({"count", "", ColumnType::integer, 0, "number of kernels"});
    const auto time = [&](const char* name, int decimals, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, decimals, doc});
    };
    time("sum", 0, "sum of the durations; overlapping work counts more than once");
    time("max", 0, "longest duration");
    time("min", 0, "shortest duration");
    time("stddev", 3, "sample standard deviation (divisor n - 1)");
    time("mean", 3, "sum / count");
    table.markSums({"count", "sum"});
    columns.addReport();
    for (const RankWork& work : works)
        addNames(work, request.workspace.report(work.report), first, columns, table);
    return table;
}

Result<Table> kernelBreakdownRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table =
        request.arguments.flag(kNamesArgument.name) ? byName(request, works) : byClass(request, works);
    size_t rows = 0;
    for (const RankWork& work : works)
        rows += work.rows.size();
    if (rows > 0) {
        table.source.whenEmpty =
            noneInScopeText("rows of GPU work", rows) + " is of a known class and longer than 0 ns.";
    }
    describeWork(request, works, table.source);
    return table;
}

} // namespace

Analysis kernelBreakdownAnalysis()
{
    return {"kernel_breakdown", kKernelBreakdownTitle, "kernels, copies or memsets",
            kKernelBreakdownArguments, kernelBreakdownRows};
}

} // namespace lockstep
