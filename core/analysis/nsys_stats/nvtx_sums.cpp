// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that sum NVTX ranges, and the kernels launched within them, by name.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/analysis/gpu_projection.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/summary.h"
#include "core/lanes/phase_slices.h"

namespace lockstep {

namespace {

constexpr uint64_t kStartEndBit = uint64_t(1) << 32; // bit above the name's StringId

// Returns for each report the latest end of its closed NVTX ranges.
ByReport<TraceTime> lastEnds(const Workspace& workspace)
{
    ByReport<TraceTime> ends(workspace.slotCount());
    for (const ReportKey key : workspace.keys())
        ends[key] = lastClosedEnd(workspace.report(key));
    return ends;
}

template<class Counts = EverySlice>
SummaryRule nvtxRule(RowKinds kinds, bool namesStyle, const Workspace& workspace, Counts counts = {})
{
    SummaryRule rule;
    const auto keyOf = [](const Report& report, SliceId slice) {
        const bool isStartEnd = report.slices.kind[slice.value] == RowKind::nvtxStartEnd;
        return (isStartEnd ? kStartEndBit : 0) | report.slices.name[slice.value].value;
    };
    rule.pick = [ranges = pickSlices(kinds, keyOf, counts),
                 ends = lastEnds(workspace)](ReportKey key, const Report& report, uint32_t first,
                                             uint32_t last, std::vector<SummaryPick>& out) {
        size_t at = out.size();
        ranges(key, report, first, last, out);
        for (; at < out.size(); ++at) {
            if ((report.slices.flags[out[at].row] & sliceFlag::kOpenEnd) != 0)
                out[at].range.end = std::min(out[at].range.end, std::max(out[at].range.begin, ends[key]));
        }
    };
    rule.labels = [namesStyle](const Report& report, const Track& track, uint64_t key) {
        std::vector<std::string> labels;
        if (namesStyle) labels.emplace_back((key & kStartEndBit) != 0 ? "StartEnd" : "PushPop");
        labels.push_back(nvtxDomain(report, track) + ":" +
                         std::string(report.strings.at(StringId(static_cast<uint32_t>(key)))));
        return labels;
    };
    return rule;
}

Result<Table> runStyles(RowKinds kinds, bool namesStyle, std::string_view title,
                        const AnalysisRequest& request, const Progress& progress)
{
    std::vector<TableColumn> labels;
    if (namesStyle) labels.push_back({"Style", "", ColumnType::text, 0, "PushPop or StartEnd"});
    labels.push_back(
        {"Range", "", ColumnType::text, 0, "domain:text; nothing before the colon for the default domain"});
    Table table = LOCKSTEP_TRY(timeSummaryTable(nvtxRule(kinds, namesStyle, request.workspace), request,
                                                title, "Instances", labels, progress));
    table.source.rows = "slices of kind nvtx_pushpop and nvtx_startend that the table covers";
    table.source.rules.push_back("a range left open ends with the last closed range of the report");
    return table;
}

constexpr std::string_view kBothTitle = "NVTX range summary";
constexpr std::string_view kPushPopTitle = "NVTX push/pop range summary";
constexpr std::string_view kStartEndTitle = "NVTX start/end range summary";
constexpr std::string_view kNcclTitle = "NCCL call summary";

Result<Table> runBoth(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(kNvtxStyles, true, kBothTitle, request, progress);
}

Result<Table> runPushPop(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(rowKinds({RowKind::nvtxPushPop}), false, kPushPopTitle, request, progress);
}

Result<Table> runStartEnd(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(rowKinds({RowKind::nvtxStartEnd}), false, kStartEndTitle, request, progress);
}

// NCCL's own ranges around its calls: CPU thread time, not GPU time.
Result<Table> runNccl(const AnalysisRequest& request, const Progress& progress)
{
    const auto isOfNccl = [](const Report& report, SliceId slice) {
        return nvtxDomain(report, report.tracks[report.trackOf(slice).value]) == "NCCL";
    };
    SummaryRule rule = nvtxRule(kNvtxStyles, false, request.workspace, isOfNccl);
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector{std::string(report.strings.at(StringId(static_cast<uint32_t>(key))))};
    };
    const std::vector<TableColumn> labels{{"Name", "", ColumnType::text, 0, "text of the range"}};
    Table table = LOCKSTEP_TRY(timeSummaryTable(rule, request, kNcclTitle, "Count", labels, progress));
    table.source.rows = "NVTX ranges of the domain NCCL";
    table.source.rules.push_back(
        "time of the calling threads; a range left open ends with the last closed range of the report");
    return table;
}

} // namespace

// nsys recipe nccl_sum: the ranges in the NCCL domain, grouped by name.
Analysis ncclSum()
{
    return {"nccl_sum", kNcclTitle, "NVTX ranges of NCCL", {}, runNccl};
}

// The nvtx_sum, nvtx_pushpop_sum and nvtx_startend_sum analyses: NVTX ranges grouped by "domain:name", like
// the nsys stats reports with these names. A range that was never closed ends at the latest end of any other
// NVTX range in the report.
Analysis nvtxSum()
{
    return {"nvtx_sum", kBothTitle, "NVTX ranges", {}, runBoth};
}

Analysis nvtxPushPopSum()
{
    return {"nvtx_pushpop_sum", kPushPopTitle, "NVTX push/pop ranges", {}, runPushPop};
}

Analysis nvtxStartEndSum()
{
    return {"nvtx_startend_sum", kStartEndTitle, "NVTX start/end ranges", {}, runStartEnd};
}

namespace {

constexpr std::string_view kNvtxKernTitle = "NVTX range kernel summary";
constexpr std::string_view kProjSumTitle = "NVTX GPU projection summary";
constexpr std::array<AnalysisArgument, 1> kNvtxKernArguments{kBaseArgument};

// Kernels with the same name, that were launched on one thread in NVTX ranges with the same name. For kernels
// without a range, the style is empty.
struct NvtxKernKey {
    GroupKey group;
    std::string range, style;
    GroupKey process;                         // process IDs are unique only per host
    int64_t pid = kNoNumber, tid = kNoNumber; // duration of the call; no value if no call is recorded
    std::string kernel;

    friend auto operator<=>(const NvtxKernKey&, const NvtxKernKey&) = default;
};

struct NvtxKernels {
    std::vector<int64_t> durations_ns;
    std::set<SliceRef> ranges;
    SliceRef longest;
    int64_t longest_ns = -1;
};

using NvtxKernGroups = std::map<NvtxKernKey, NvtxKernels>;

class NvtxKernelGathering {
  public:
    explicit NvtxKernelGathering(const AnalysisRequest& request)
        : m_request(request), m_names{request.arguments.flag(kBaseArgument.name)}
    {
    }

    // Call once.
    Result<NvtxKernGroups> run(const Progress& progress)
    {
        for (const ReportKey report : m_request.workspace.keys())
            LOCKSTEP_TRY(add(report, progress));
        return std::move(m_groups);
    }
    bool hasRanges() const { return m_hasRanges; }

  private:
    Status add(ReportKey report, const Progress& progress)
    {
        const auto threads = LOCKSTEP_TRY(nvtxRangesOf(m_request, report, kNvtxStyles, progress));
        if (threads.empty()) return {};
        m_hasRanges = true;
        std::map<std::pair<ProcessId, ThreadId>, const NvtxRanges*> ranges;
        for (const NvtxRanges& thread : threads)
            ranges[{thread.process, thread.thread}] = &thread;
        const WorkByThread works =
            LOCKSTEP_TRY(launchedWork(m_request, report, rowKinds({RowKind::kernel}), progress));
        for (const auto& [threadKey, launched] : works) {
            const auto& [process, thread] = threadKey;
            const auto found = ranges.find(threadKey);
            const NvtxRanges none{groupKeyOf(m_request.scope.by, m_request.workspace, report, process),
                                  report,
                                  process,
                                  thread,
                                  {}};
            const NvtxRanges& of = found != ranges.end() ? *found->second : none;
            RangesAround each(of, m_request.workspace.report(report), launched);
            while (LOCKSTEP_TRY(each.next(progress))) {
                if (each.around().empty()) add(of, nullptr, each.work());
                for (const uint32_t i : each.around())
                    add(of, &of.ranges[i], each.work());
            }
        }
        return {};
    }

    void add(const NvtxRanges& thread, const NvtxRange* range, const LaunchedWork& launched)
    {
        const Report& report = m_request.workspace.report(thread.report);
        NvtxKernKey key;
        key.group = thread.group;
        if (range != nullptr) {
            key.range = nvtxLabel(report, range->track, range->slice);
            key.style = nvtxStyle(report, range->slice);
        }
        if (launched.call.isValid())
            key.process = groupKeyOf(GroupBy::process, m_request.workspace, thread.report, thread.process);
        if (launched.call.isValid() && thread.process.isValid())
            key.pid = report.processes[thread.process.value].pid;
        if (thread.thread.isValid()) key.tid = report.threads[thread.thread.value].tid;
        key.kernel = report.strings.at(StringId(static_cast<uint32_t>(m_names.key(report, launched.work))));
        if (m_request.scope.name && !m_request.scope.name->matches(key.kernel)) return;
        NvtxKernels& kernels = m_groups[key];
        const int64_t ns = report.slices.duration(launched.work).ns;
        kernels.durations_ns.push_back(ns);
        if (range != nullptr) kernels.ranges.insert({thread.report, range->slice});
        if (ns > kernels.longest_ns) {
            kernels.longest_ns = ns;
            kernels.longest = {thread.report, launched.work};
        }
    }

    const AnalysisRequest& m_request;
    KernelNames m_names;
    NvtxKernGroups m_groups;
    bool m_hasRanges = false;
};

void addStatisticsColumns(Table& table, const char* prefix, const std::string& of)
{
    const auto time = [&](const char* name, int decimals, const std::string& doc) {
        table.addColumn({std::string(prefix) + name, "ns", ColumnType::time, decimals, doc});
    };
    time("Avg", 1, "mean of " + of);
    time("Med", 1, "median of " + of);
    time("Min", 0, "minimum of " + of);
    time("Max", 0, "maximum of " + of);
    time("StdDev", 1, "sample standard deviation (divisor n - 1) of " + of);
}

void setStatistics(Table& table, size_t column, const DurationStatistics& statistics)
{
    table.setNumber(column, statistics.average(10));
    table.setNumber(column + 1, statistics.median(10));
    table.setNumber(column + 2, statistics.minimum);
    table.setNumber(column + 3, statistics.maximum);
    table.setNumber(column + 4, statistics.standardDeviation(10));
}

Result<Table> nvtxKernRows(const AnalysisRequest& request, const Progress& progress)
{
    NvtxKernelGathering gathering(request);
    NvtxKernGroups groups = LOCKSTEP_TRY(gathering.run(progress));
    Table table{std::string(request.what), std::string(kNvtxKernTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    const auto column = [&](const char* name, ColumnType type, const char* doc) {
        table.addColumn({name, "", type, 0, doc});
    };
    column("NVTX Range", ColumnType::text, "domain:text; empty for launches outside of all ranges");
    column("Style", ColumnType::text, "PushPop or StartEnd");
    column("PID", ColumnType::integer, "process ID on its host");
    column("TID", ColumnType::integer, "thread of the call");
    column("NVTX Inst", ColumnType::integer, "number of ranges with launches of this kernel");
    column("Kern Inst", ColumnType::integer, "number of kernels");
    table.addColumn({"Total Time", "ns", ColumnType::time, 0,
                     "sum of the kernels' durations; a kernel counts for every range around its call"});
    addStatisticsColumns(table, "", "the kernels' durations");
    column("Kernel Name", ColumnType::text, "name of the kernel");
    std::vector<std::pair<const NvtxKernKey*, NvtxKernels*>> order;
    for (auto& [key, kernels] : groups)
        order.emplace_back(&key, &kernels);
    const auto total = [](const NvtxKernels& kernels) {
        int64_t sum = 0;
        for (const int64_t ns : kernels.durations_ns)
            sum += ns;
        return sum;
    };
    std::ranges::stable_sort(order, {}, [&](const auto& group) {
        const NvtxKernKey& key = *group.first;
        return std::tuple(key.group, key.range, key.process, key.pid, key.tid, -total(*group.second));
    });
    for (const auto& [key, kernels] : order) {
        const DurationStatistics statistics = durationStatistics(kernels->durations_ns);
        table.addRow(kernels->longest);
        setGroup(table, request.scope.by, key->group);
        table.setText(first, key->range);
        table.setText(first + 1, key->style);
        table.setNumber(first + 2, key->pid);
        table.setNumber(first + 3, key->tid);
        table.setNumber(first + 4, static_cast<int64_t>(kernels->ranges.size()));
        table.setNumber(first + 5, statistics.count);
        table.setNumber(first + 6, statistics.total);
        setStatistics(table, first + 7, statistics);
        table.setText(first + 12, key->kernel);
    }
    table.source.rows =
        "kernels, and the NVTX ranges of the calling thread around the calls that launched them";
    table.source.rules = {"a call is in a range that contains it, both ends included",
                          "reports without NVTX ranges are left out; a kernel outside of all ranges has an "
                          "empty range, and an empty process and thread if its call is unknown"};
    noteWholeGraphs(table, request.workspace);
    if (!gathering.hasRanges())
        table.source.whenEmpty =
            "No NVTX range is in scope: kernels of reports without NVTX ranges are left out.";
    return table;
}

struct ProjectedSum {
    std::vector<int64_t> projected_ns;
    int64_t ranges_ns = 0, operations = 0, levels = 0, children = 0;
    SliceRef longest;
    int64_t longest_ns = -1;
};

using ProjectedSums = std::map<std::tuple<GroupKey, std::string, std::string_view>, ProjectedSum>;

ProjectedSums projectedSums(const AnalysisRequest& request, std::span<const GpuProjection> projections)
{
    ProjectedSums sums;
    for (const GpuProjection& projection : projections) {
        const Report& report = request.workspace.report(projection.report);
        for (const ProjectedRange& projected : projection.ranges) {
            const NvtxRange& range = projected.range;
            std::string name = nvtxLabel(report, range.track, range.slice);
            if (request.scope.name && !request.scope.name->matches(name)) continue;
            ProjectedSum& sum = sums[{projection.group, std::move(name), nvtxStyle(report, range.slice)}];
            const int64_t ns = projected.projected.length().ns;
            sum.projected_ns.push_back(ns);
            sum.ranges_ns += range.range.length().ns;
            sum.operations += projected.operations;
            sum.levels += range.level;
            sum.children += range.children;
            if (ns > sum.longest_ns) {
                sum.longest_ns = ns;
                sum.longest = {projection.report, projected.first};
            }
        }
    }
    return sums;
}

void addProjectedColumns(Table& table)
{
    table.addColumn(
        {"Range", "", ColumnType::text, 0, "domain:text; nothing before the colon for the default domain"});
    table.addColumn({"Style", "", ColumnType::text, 0, "PushPop or StartEnd"});
    table.addColumn({"Total Proj Time", "ns", ColumnType::time, 0, "sum of the projected durations"});
    table.addColumn({"Total Range Time", "ns", ColumnType::time, 0, "sum of the ranges' durations"});
    table.addColumn(
        {"Range Instances", "", ColumnType::integer, 0, "number of ranges with launches of GPU work"});
    table.markSums({"Range Instances"}); // not the times, because ranges are nested
    addStatisticsColumns(table, "Proj ", "the projected durations");
    table.addColumn(
        {"Total GPU Ops", "", ColumnType::integer, 0, "number of calls that launched work, over all ranges"});
    table.addColumn(
        {"Avg GPU Ops", "", ColumnType::real, 1, "mean number of calls that launched work per range"});
    table.addColumn(
        {"Avg Range Lvl", "", ColumnType::real, 1, "mean number of projected ranges that enclose the range"});
    table.addColumn({"Avg Num Child", "", ColumnType::real, 1,
                     "mean number of projected ranges directly inside the range"});
}

Result<Table> gpuProjSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto projections = LOCKSTEP_TRY(projectRanges(request, progress));
    ProjectedSums sums = projectedSums(request, projections);
    Table table{std::string(request.what), std::string(kProjSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addProjectedColumns(table);
    std::vector<std::pair<ProjectedSums::key_type, std::pair<DurationStatistics, const ProjectedSum*>>> order;
    for (auto& [key, sum] : sums)
        order.push_back({key, {durationStatistics(sum.projected_ns), &sum}});
    std::ranges::stable_sort(order, {}, [](const auto& line) {
        return std::tuple(std::get<0>(line.first), -line.second.first.total);
    });
    for (const auto& [key, line] : order) {
        const auto& [statistics, sum] = line;
        table.addRow(sum->longest);
        setGroup(table, request.scope.by, std::get<0>(key));
        table.setText(first, std::get<1>(key));
        table.setText(first + 1, std::get<2>(key));
        table.setNumber(first + 2, statistics.total);
        table.setNumber(first + 3, sum->ranges_ns);
        table.setNumber(first + 4, statistics.count);
        setStatistics(table, first + 5, statistics);
        table.setNumber(first + 10, sum->operations);
        size_t column = first + 11;
        for (const int64_t total : {sum->operations, sum->levels, sum->children})
            table.setNumber(column++, roundedQuotient(__int128(total) * 10, statistics.count));
    }
    table.source.rows = "NVTX ranges in which a call of their thread launched kernels, copies or memsets";
    if (projections.empty()) table.source.whenEmpty = kNoProjections;
    table.source.rules = {"a call is in a range that contains it, both ends included",
                          "projected duration: from the start of the first to the end of the last such "
                          "work"};
    return table;
}

} // namespace

// The nvtx_kern_sum and nvtx_gpu_proj_sum analyses, like the nsys stats reports with these names. The first
// lists kernels by the NVTX range in which they were launched. The second lists NVTX ranges by the time of
// the GPU work launched in them.
Analysis nvtxKernSum()
{
    return {"nvtx_kern_sum", kNvtxKernTitle, "kernels and the calls that launched them", kNvtxKernArguments,
            nvtxKernRows};
}

Analysis nvtxGpuProjSum()
{
    return {"nvtx_gpu_proj_sum", kProjSumTitle, "NVTX ranges with GPU work", {}, gpuProjSumRows};
}

} // namespace lockstep
