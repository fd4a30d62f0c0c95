// SPDX-License-Identifier: Apache-2.0
// The analyses that divide the time of each rank: by kind of work, by cause of idle time, by kernel, and by
// overlap of communication and computation.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/gap_cause.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/rank_work.h"
#include "core/base/interval_set.h"

namespace lockstep {

namespace {

constexpr std::string_view kTemporalTitle = "Temporal breakdown: idle, compute and other GPU time";
constexpr std::array kTemporalArguments{kHtaArgument, kAllStepsArgument};

struct TemporalTimes {
    int64_t kernel_ns = 0, idle_ns = 0, compute_ns = 0;
    int64_t nonCompute_ns() const { return kernel_ns - idle_ns - compute_ns; }
};

TemporalTimes temporalTimes(const RankWork& work)
{
    const std::vector<TimeRange> busy = mergedRanges(work.rows);
    TemporalTimes times;
    times.kernel_ns = (busy.back().end - busy.front().begin).ns;
    times.idle_ns = times.kernel_ns - lengthOf(busy).ns;
    times.compute_ns = lengthOf(mergedRanges(work.rowsOf(KernelClass::computation))).ns;
    return times;
}

Result<Table> temporalRows(const AnalysisRequest& request, const Progress& progress)
{
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    const auto works =
        LOCKSTEP_TRY(rankWorkInScope(request, progress, isHta ? WorkRows::allOfStreams : WorkRows::gpuWork));
    Table table{std::string(request.what), std::string(kTemporalTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("idle_time", "part of kernel_time without work on any stream");
    time("compute_time", "union of computation");
    time("non_compute_time", "communication and memory operations that do not overlap computation");
    time("kernel_time", "time from the first start to the last end");
    for (const char* const name : {"idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"})
        table.addColumn({name, "", ColumnType::percent, 2, "share of kernel_time"});
    columns.addReport();
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        if (work.rows.empty()) continue;
        const TemporalTimes times = temporalTimes(work);
        const std::array parts{times.idle_ns, times.compute_ns, times.nonCompute_ns()};
        columns.addRow(work, work.rows.front().slice);
        for (size_t i = 0; i < parts.size(); ++i) {
            table.setNumber(first + i, parts[i]);
            table.setNumber(first + 4 + i, roundedQuotient(__int128(parts[i]) * 10'000, times.kernel_ns));
        }
        table.setNumber(first + 3, times.kernel_ns);
    }
    describeWork(request, works, table.source);
    if (isHta) table.source.rules.push_back("synchronizations of a stream count as work, as in HTA");
    return table;
}

} // namespace

// The `temporal_breakdown` analysis: the share of GPU time per rank that is idle, computing, or neither, as
// defined by HTA's get_temporal_breakdown.
Analysis temporalBreakdownAnalysis()
{
    return withCharts({"temporal_breakdown", kTemporalTitle, "kernels, copies or memsets", kTemporalArguments,
                       temporalRows},
                      {{ChartKind::stacked,
                        {"rank", "report"},
                        {"compute_time_pctg", "non_compute_time_pctg", "idle_time_pctg"}}});
}

namespace {

constexpr std::string_view kIdleBreakdownTitle = "Idle breakdown: what each stream waited for";
constexpr AnalysisArgument kDelayArgument{
    "delay", "waits for the next kernel are shorter than this", ArgumentType::duration, "30us", "us", 0,
    4.6e18};
constexpr std::array kIdleBreakdownArguments{kDelayArgument, kHtaArgument, kAllStepsArgument};

constexpr std::array<std::string_view, static_cast<size_t>(WaitFor::count)> kWaitNames{
    "host_wait", "kernel_wait", "other"};

struct StreamWaits {
    std::array<int64_t, kWaitNames.size()> waited_ns{};
    std::array<int64_t, kWaitNames.size()> count{};
    std::array<SliceId, kWaitNames.size()> longest{}; // the row that follows the wait
    std::array<int64_t, kWaitNames.size()> longest_ns{-1, -1, -1};
};

// rows: the rows on one stream, sorted by start. HTA measures the wait from the end of the previous row, even
// if an earlier row ran longer, and allows negative waits.
StreamWaits waitsOf(std::span<const WorkRow> rows, const Report& report, Duration delay, bool isHta)
{
    StreamWaits waits;
    TraceTime end = rows.front().range.end;
    for (size_t i = 1; i < rows.size(); ++i) {
        const WorkRow& row = rows[i];
        const int64_t gap_ns = (row.range.begin - end).ns;
        TraceTime launched = row.call.isValid() ? report.slices.start(row.call) : kAllTime.begin;
        if (isHta && row.call.isValid()) launched = roundedByHta({launched, launched}).begin;
        const auto wait = static_cast<size_t>(waitForOf({end, row.range.begin}, launched, delay));
        if (isHta || gap_ns > 0) {
            waits.waited_ns[wait] += gap_ns;
            ++waits.count[wait];
            if (gap_ns > waits.longest_ns[wait]) {
                waits.longest_ns[wait] = gap_ns;
                waits.longest[wait] = row.slice;
            }
        }
        end = isHta ? row.range.end : std::max(end, row.range.end);
    }
    return waits;
}

Result<Table> idleBreakdownRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kIdleBreakdownTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"stream", "", ColumnType::integer, 0, "stream number from the file"});
    table.addColumn({"idle_category", "", ColumnType::text, 0,
                     "host_wait: launched after the previous row had ended; kernel_wait: launched "
                     "earlier, and the wait was shorter than the delay; otherwise other"});
    table.addColumn({"idle_time", "ns", ColumnType::time, 0, "sum of the gaps between rows of the stream"});
    table.addColumn({"idle_time_ratio", "", ColumnType::real, 2, "share of the stream's waits"});
    table.addColumn({"waits", "", ColumnType::integer, 0, "number of waits"});
    table.markSums({"idle_time", "waits"});
    columns.addReport();
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        std::map<int64_t, std::vector<WorkRow>> streams;
        for (const WorkRow& row : work.rows)
            streams[row.stream].push_back(row);
        for (const auto& [stream, rows] : streams) {
            const StreamWaits waits = waitsOf(rows, request.workspace.report(work.report),
                                              request.arguments.duration(kDelayArgument.name), isHta);
            const int64_t whole_ns = waits.waited_ns[0] + waits.waited_ns[1] + waits.waited_ns[2];
            for (size_t wait = 0; wait < kWaitNames.size(); ++wait) {
                columns.addRow(work, waits.longest[wait]);
                table.setNumber(first, stream);
                table.setText(first + 1, kWaitNames[wait]);
                table.setNumber(first + 2, waits.waited_ns[wait]);
                table.setNumber(first + 3, roundedQuotient(__int128(waits.waited_ns[wait]) * 100, whole_ns));
                table.setNumber(first + 4, waits.count[wait]);
            }
        }
    }
    describeWork(request, works, table.source);
    table.source.rules.push_back("the first row of a stream has no wait");
    return table;
}

} // namespace

// The `idle_breakdown` analysis: the cause of idle time on each stream between its kernels (the host, the
// next kernel, or something else), as in HTA's get_idle_time_breakdown.
Analysis idleBreakdownAnalysis()
{
    ChartRule chart{ChartKind::bars, {"rank", "stream", "idle_category"}, {"idle_time"}};
    chart.needsAllLabels = true;
    return withCharts({"idle_breakdown", kIdleBreakdownTitle, "kernels, copies or memsets",
                       kIdleBreakdownArguments, idleBreakdownRows},
                      {chart});
}

namespace {

constexpr std::string_view kKernelBreakdownTitle = "Kernel breakdown by class or by name";
constexpr AnalysisArgument kNamesArgument{"names", "one row per name and rank instead of per class"};
constexpr std::array kKernelBreakdownArguments{kNamesArgument, kHtaArgument, kAllStepsArgument};
constexpr std::array kDistinguished{KernelClass::computation, KernelClass::communication,
                                    KernelClass::memory};
constexpr size_t kStates = size_t(1) << kDistinguished.size();

// Indexed by the bits of kDistinguished. Contains the time during which exactly these classes ran. Also
// records whether this combination occurred at all, even if its time is 0.
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
    for (size_t i = 0; i < kDistinguished.size(); ++i) {
        const auto ranges = IntervalSet::unionOf(mergedRanges(work.rowsOf(kDistinguished[i])));
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
    for (size_t i = 0; i < kDistinguished.size(); ++i) {
        if ((state >> i & 1) == 0) continue;
        name += (name.empty() ? "" : " overlapping ") + std::string(kernelClassName(kDistinguished[i]));
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

// The `kernel_breakdown` analysis: GPU time by kernel class and overlap of classes, or by kernel name, as in
// HTA's get_gpu_kernel_breakdown.
Analysis kernelBreakdownAnalysis()
{
    return withCharts({"kernel_breakdown", kKernelBreakdownTitle, "kernels, copies or memsets",
                       kKernelBreakdownArguments, kernelBreakdownRows},
                      {{ChartKind::bars, {"kernel_type"}, {"sum"}}});
}

namespace {

constexpr std::string_view kOverlapTitle = "Communication/computation overlap";
constexpr std::array kOverlapArguments{kHtaArgument, kAllStepsArgument};

struct OverlapRow {
    GroupKey group;
    const RankWork* work = nullptr;
    std::vector<WorkRow> communication; // sorted by start
};

// Returns the communication of a process under its group, or by communicator.
std::map<GroupKey, std::vector<WorkRow>> communicationOf(const AnalysisRequest& request, const RankWork& work)
{
    std::vector<WorkRow> all = work.rowsOf(KernelClass::communication);
    std::map<GroupKey, std::vector<WorkRow>> out;
    if (request.scope.by != GroupBy::communicator) {
        out[work.group] = std::move(all);
        return out;
    }
    const Report& report = request.workspace.report(work.report);
    for (const WorkRow& row : all) {
        const auto op = std::ranges::lower_bound(report.collectives, row.slice, {}, &CollectiveOp::slice);
        const bool isRecorded =
            op != report.collectives.end() && op->slice == row.slice && op->group.isValid();
        const std::string name(isRecorded ? report.strings.at(op->group) : std::string_view());
        out[{name.empty(), 0, name}].push_back(row);
    }
    return out;
}

Result<Table> overlapRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kOverlapTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"comp_comm_overlap_pctg", "", ColumnType::percent, 2,
                     "overlap_time as a share of comm_time; empty without communication"});
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("comm_time", "union of communication");
    time("overlap_time", "communication that overlaps computation");
    time("exposed_time", "communication that does not overlap computation");
    table.addColumn(
        {"exposed_pctg", "", ColumnType::percent, 2,
         "exposed_time as a share of the time from the first start to the last end of all GPU work"});
    columns.addReport();
    std::vector<OverlapRow> rows;
    size_t examined = 0;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        if (work.rows.empty()) continue;
        examined += work.rows.size();
        for (auto& [group, communication] : communicationOf(request, work))
            rows.push_back({group, &work, std::move(communication)});
    }
    std::ranges::stable_sort(rows, {}, &OverlapRow::group);
    for (const OverlapRow& row : rows) {
        const RankWork& work = *row.work;
        const auto communication = IntervalSet::unionOf(mergedRanges(row.communication));
        const auto computation = IntervalSet::unionOf(mergedRanges(work.rowsOf(KernelClass::computation)));
        const int64_t comm_ns = communication.length().ns;
        const int64_t overlap_ns = communication.intersectedWith(computation).length().ns;
        const std::vector<TimeRange> busy = mergedRanges(work.rows);
        columns.addRow(work, work.rows.front().slice);
        setGroup(table, request.scope.by, row.group);
        if (comm_ns > 0) table.setNumber(first, roundedQuotient(__int128(overlap_ns) * 10'000, comm_ns));
        table.setNumber(first + 1, comm_ns);
        table.setNumber(first + 2, overlap_ns);
        table.setNumber(first + 3, comm_ns - overlap_ns);
        table.setNumber(first + 4, roundedQuotient(__int128(comm_ns - overlap_ns) * 10'000,
                                                   (busy.back().end - busy.front().begin).ns));
    }
    if (examined > 0)
        table.source.whenEmpty = noneInScopeText("rows of GPU work", examined) + " is communication.";
    describeWork(request, works, table.source);
    if (request.scope.by == GroupBy::communicator)
        table.source.rules.push_back("a kernel belongs to the communicator recorded for it in its file; "
                                     "communicators may overlap, so their times need not add up");
    return table;
}

} // namespace

// The `comm_comp_overlap` analysis: the share of each rank's communication that overlaps computation, as
// defined by HTA's get_comm_comp_overlap, and the exposed share.
Analysis commCompOverlapAnalysis()
{
    return withCharts({"comm_comp_overlap", kOverlapTitle, "kernels", kOverlapArguments, overlapRows,
                       RowOwner::communicator},
                      {{ChartKind::bars, {"rank", "report"}, {"exposed_time"}}});
}

} // namespace lockstep
