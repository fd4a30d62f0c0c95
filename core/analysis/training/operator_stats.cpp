// SPDX-License-Identifier: Apache-2.0
// The `operator_stats` analysis: for each framework operator, the number of calls, the CPU time with and
// without nested operators, and the GPU time, as in torch.profiler's key_averages().
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kOperatorTitle = "Framework operators";
constexpr std::array<std::string_view, 4> kOperatorOrders{"gpu", "self_gpu", "cpu", "self_cpu"};
constexpr AnalysisArgument kOperatorOrder{
    "sort",
    "sort order, largest first: GPU or CPU time, with or without nested operators",
    ArgumentType::choice,
    "gpu",
    "",
    0,
    0,
    kOperatorOrders};
constexpr std::array kOperatorArguments{kOperatorOrder};

// Sums of times for one operator name.
struct OperatorSum {
    int64_t calls = 0, cpu_ns = 0, selfCpu_ns = 0, gpu_ns = 0, selfGpu_ns = 0, work = 0;
    SliceRef longest;
    int64_t longest_ns = -1;

    void add(const OperatorSum& other)
    {
        calls += other.calls;
        cpu_ns += other.cpu_ns;
        selfCpu_ns += other.selfCpu_ns;
        gpu_ns += other.gpu_ns;
        selfGpu_ns += other.selfGpu_ns;
        work += other.work;
        if (other.longest_ns <= longest_ns) return;
        longest = other.longest;
        longest_ns = other.longest_ns;
    }
};

using OperatorKey = std::pair<GroupKey, std::string>;

class OperatorGathering {
  public:
    explicit OperatorGathering(const AnalysisRequest& request) : m_request(request) {}

    // works: the work launched by calls on this thread.
    Status add(const NvtxRanges& thread, std::span<const LaunchedWork> works, const Progress& progress)
    {
        const Report& report = m_request.workspace.report(thread.report);
        std::unordered_map<uint32_t, OperatorSum> own; // by StringId of the name in this report
        for (const NvtxRange& op : thread.ranges)
            own[nameOf(report, op)].add(callOf(thread, op));
        RangesAround each(thread, report, works);
        while (LOCKSTEP_TRY(each.next(progress)))
            addWork(thread, own, each.work(), each.around());
        for (const auto& [name, sum] : own) {
            const std::string_view text = report.strings.at(StringId(name));
            if (!m_request.scope.name || m_request.scope.name->matches(text))
                m_sums[{thread.group, std::string(text)}].add(sum);
        }
        return {};
    }

    const std::map<OperatorKey, OperatorSum>& sums() const { return m_sums; }

  private:
    static uint32_t nameOf(const Report& report, const NvtxRange& op)
    {
        return report.slices.name[op.slice.value].value;
    }

    // An operator nested in one with the same name is part of the outer operator and adds no time.
    OperatorSum callOf(const NvtxRanges& thread, const NvtxRange& op) const
    {
        const Report& report = m_request.workspace.report(thread.report);
        OperatorSum call;
        call.calls = 1;
        call.selfCpu_ns = op.range.length().ns - op.inChildren_ns;
        bool isWithinOwn = false;
        for (uint32_t up = op.parent; up != kNoRange && !isWithinOwn; up = thread.ranges[up].parent)
            isWithinOwn = nameOf(report, thread.ranges[up]) == nameOf(report, op);
        if (!isWithinOwn) call.cpu_ns = op.range.length().ns;
        call.longest = {thread.report, op.slice};
        call.longest_ns = op.range.length().ns;
        return call;
    }

    void addWork(const NvtxRanges& thread, std::unordered_map<uint32_t, OperatorSum>& own,
                 const LaunchedWork& work, std::span<const uint32_t> around) const
    {
        const Report& report = m_request.workspace.report(thread.report);
        const int64_t length_ns = report.slices.duration(work.work).ns;
        std::vector<uint32_t> names; // without duplicates
        for (const uint32_t i : around) {
            const uint32_t name = nameOf(report, thread.ranges[i]);
            if (std::ranges::find(names, name) != names.end()) continue;
            names.push_back(name);
            own[name].gpu_ns += length_ns;
            ++own[name].work;
        }
        if (!around.empty()) own[nameOf(report, thread.ranges[around.back()])].selfGpu_ns += length_ns;
    }

    const AnalysisRequest& m_request;
    std::map<OperatorKey, OperatorSum> m_sums;
};

int64_t orderedBy(const OperatorSum& sum, std::string_view order)
{
    if (order == "gpu") return sum.gpu_ns;
    if (order == "self_gpu") return sum.selfGpu_ns;
    return order == "cpu" ? sum.cpu_ns : sum.selfCpu_ns;
}

Table operatorTable(const AnalysisRequest& request, const std::map<OperatorKey, OperatorSum>& sums)
{
    Table table{std::string(request.what), std::string(kOperatorTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.addColumn({"Name", "", ColumnType::text, 0, "name of the operator"});
    table.addColumn({"Calls", "", ColumnType::integer, 0, "calls of this name"});
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("Self CPU", "sum over calls, without nested operators");
    time("CPU total", "sum over calls; a call nested in one of the same name is not counted again");
    table.addColumn({"CPU avg", "ns", ColumnType::time, 1, "CPU total divided by Calls"});
    time("Self GPU", "sum of kernels, copies and memsets launched directly "
                     "in the operator, not in nested operators");
    time("GPU total", "sum of kernels, copies and memsets launched in the operator, "
                      "including nested operators; overlapping ones add up");
    table.addColumn({"GPU avg", "ns", ColumnType::time, 1, "GPU total divided by Calls"});
    table.addColumn({"Launched", "", ColumnType::integer, 0, "kernels, copies and memsets in GPU total"});
    table.markSums({"Calls", "Self CPU", "Self GPU"});
    std::vector<const std::pair<const OperatorKey, OperatorSum>*> rows;
    for (const auto& entry : sums)
        rows.push_back(&entry);
    const std::string_view order = request.arguments.choice(kOperatorOrder.name);
    std::ranges::stable_sort(rows, [&](const auto* a, const auto* b) {
        if (a->first.first != b->first.first) return a->first.first < b->first.first;
        const int64_t x = orderedBy(a->second, order), y = orderedBy(b->second, order);
        return x != y ? x > y : a->second.cpu_ns > b->second.cpu_ns;
    });
    for (const auto* const entry : rows) {
        const OperatorSum& sum = entry->second;
        table.addRow(sum.longest);
        setGroup(table, request.scope.by, entry->first.first);
        table.setText(first, entry->first.second);
        const std::array<int64_t, 8> numbers{sum.calls,
                                             sum.selfCpu_ns,
                                             sum.cpu_ns,
                                             roundedQuotient(__int128(sum.cpu_ns) * 10, sum.calls),
                                             sum.selfGpu_ns,
                                             sum.gpu_ns,
                                             roundedQuotient(__int128(sum.gpu_ns) * 10, sum.calls),
                                             sum.work};
        for (size_t i = 0; i < numbers.size(); ++i)
            table.setNumber(first + 1 + i, numbers[i]);
    }
    return table;
}

Result<Table> operatorRows(const AnalysisRequest& request, const Progress& progress)
{
    const RowKinds kinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});
    OperatorGathering gathering(request);
    int64_t unclaimed = 0;
    for (const ReportKey key : request.workspace.keys()) {
        const WorkByThread works = LOCKSTEP_TRY(launchedWork(request, key, kinds, progress));
        for (const auto& [threadKey, launched] : works)
            unclaimed +=
                std::ranges::count_if(launched, [](const LaunchedWork& w) { return !w.call.isValid(); });
        for (const NvtxRanges& thread :
             LOCKSTEP_TRY(nvtxRangesOf(request, key, rowKinds({RowKind::op}), progress, TrackKind::ops))) {
            const auto found = works.find({thread.process, thread.thread});
            LOCKSTEP_TRY(gathering.add(
                thread, found == works.end() ? std::span<const LaunchedWork>() : std::span(found->second),
                progress));
        }
    }
    Table table = operatorTable(request, gathering.sums());
    table.source.rows = "slices of kind op, and the GPU work that calls within them launched";
    if (unclaimed > 0) {
        table.source.rules.push_back(std::to_string(unclaimed) +
                                     " rows of GPU work without a recorded call belong to no operator");
    }
    if (request.scope.time) table.source.rules.push_back(windowRule(request.scope, "operators", ", in full"));
    return table;
}

} // namespace

Analysis operatorStatsAnalysis()
{
    return {"operator_stats", kOperatorTitle, "framework operators", kOperatorArguments, operatorRows};
}

} // namespace lockstep
