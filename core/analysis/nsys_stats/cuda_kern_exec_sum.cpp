// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_kern_exec_sum.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kKernExecSumTitle = "CUDA kernel launch and execution time summary";
constexpr std::array<AnalysisArgument, 1> kKernExecSumArguments{kBaseArgument};

// Kernels with the same name that were launched on one device by the same call on one thread.
struct ExecKey {
    GroupKey group;
    GroupKey process; // process IDs are unique only per host
    int64_t pid = 0, tid = 0, device = -1;
    std::string call, kernel;

    friend auto operator<=>(const ExecKey&, const ExecKey&) = default;
};

struct ExecTimes {
    std::vector<int64_t> total, call, queue, kernel;
    SliceRef longest;
    int64_t longest_ns = -1;
};

using ExecGroups = std::map<ExecKey, ExecTimes>;

struct Executions {
    ExecGroups groups;
    size_t kernels = 0, called = 0; // number of kernels in scope, and how many of these have a recorded call
};

void addKernel(const AnalysisRequest& request, ReportKey key, const Track& track, SliceId kernel,
               SliceId call, ExecGroups& groups)
{
    const Report& report = request.workspace.report(key);
    const TimeRange ran = report.slices.range(kernel), called = report.slices.range(call);
    const KernelNames names{request.arguments.flag(kBaseArgument.name)};
    ExecKey of;
    of.kernel = report.strings.at(StringId(static_cast<uint32_t>(names.key(report, kernel))));
    if (request.scope.name && !request.scope.name->matches(of.kernel)) return;
    const TrackKey& caller = report.track(report.trackOf(call)).key;
    of.group = groupKeyOf(request.scope.by, request.workspace, key, track.key.process);
    of.process = groupKeyOf(GroupBy::process, request.workspace, key, caller.process);
    if (caller.process.isValid()) of.pid = report.processes[caller.process.value].pid;
    if (caller.thread.isValid()) of.tid = report.threads[caller.thread.value].tid;
    if (track.key.device.isValid()) of.device = report.devices[track.key.device.value].ordinal;
    of.call = apiNameWithoutVersion(report.nameOf(call));
    ExecTimes& times = groups[of];
    const int64_t total_ns = (std::max(called.end, ran.end) - called.begin).ns;
    times.total.push_back(total_ns);
    times.call.push_back(called.length().ns);
    times.kernel.push_back(ran.length().ns);
    if (ran.begin >= called.end) times.queue.push_back((ran.begin - called.end).ns);
    if (total_ns > times.longest_ns) {
        times.longest_ns = total_ns;
        times.longest = {key, kernel};
    }
}

Result<Executions> gatherExecutions(const AnalysisRequest& request, const Progress& progress)
{
    Executions found;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        const auto window = windowOf(request.scope, request.alignment, key);
        for (const Track& track : report.tracks) {
            LOCKSTEP_TRY(progress.check());
            const bool isStream = track.key.kind == TrackKind::gpuStream;
            if (!isStream || !isInScope(request.scope, request.workspace, key, track)) continue;
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                const SliceId kernel(row);
                if (report.slices.kind[row] != RowKind::kernel) continue;
                if (!isInWindow(request.scope, window, report.slices.range(kernel))) continue;
                ++found.kernels;
                for (size_t n = 0; const Link* const link = report.links.to(kernel, n); ++n) {
                    if (link->kind != LinkKind::launch) continue;
                    addKernel(request, key, track, kernel, link->cause, found.groups);
                    ++found.called;
                }
            }
        }
    }
    return found;
}

void addExecColumns(Table& table)
{
    const auto count = [&](const char* name, const char* doc) {
        table.addColumn({name, "", ColumnType::integer, 0, doc});
    };
    count("PID", "process ID on its host");
    count("TID", "thread of the call");
    count("DevId", "CUDA device ordinal in the process");
    count("Count", "number of kernels");
    count("QCount", "kernels that started after their call had ended");
    table.markSums({"Count", "QCount"});
    const auto times = [&](const std::string& letter, const std::string& of) {
        const auto time = [&](const char* name, int decimals, const std::string& doc) {
            table.addColumn({letter + name, "ns", ColumnType::time, decimals, doc});
        };
        time("Avg", 1, "mean of " + of);
        time("Med", 1, "median of " + of);
        time("Min", 0, "minimum of " + of);
        time("Max", 0, "maximum of " + of);
        time("StdDev", 1, "sample standard deviation (divisor n - 1) of " + of);
    };
    times("T", "the time from the start of the call to its end or the kernel's end, whichever is later");
    times("A", "the duration of the call");
    times("Q", "the time from the end of the call to the start of the kernel, for kernels that "
               "started later");
    times("K", "the duration of the kernel");
    table.addColumn({"API Name", "", ColumnType::text, 0, "name of the call without its version suffix"});
    table.addColumn({"Kernel Name", "", ColumnType::text, 0, "name of the kernel"});
}

// If there are no values, sets only the deviation to 0.0, as nsys prints it.
void setExecTimes(Table& table, size_t column, std::vector<int64_t> values)
{
    const DurationStatistics statistics = durationStatistics(values);
    table.setNumber(column + 4, statistics.standardDeviation(10));
    if (values.empty()) return;
    table.setNumber(column, statistics.average(10));
    table.setNumber(column + 1, statistics.median(10));
    table.setNumber(column + 2, statistics.minimum);
    table.setNumber(column + 3, statistics.maximum);
}

Result<Table> cudaKernExecSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const Executions found = LOCKSTEP_TRY(gatherExecutions(request, progress));
    std::vector<const ExecGroups::value_type*> order;
    for (const auto& group : found.groups)
        order.push_back(&group);
    const auto tenths = [](const ExecGroups::value_type* group) {
        std::vector<int64_t> totals = group->second.total;
        return durationStatistics(totals).average(10);
    };
    std::ranges::stable_sort(
        order, {}, [&](const auto* group) { return std::pair(group->first.group, -tenths(group)); });
    Table table{std::string(request.what), std::string(kKernExecSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addExecColumns(table);
    for (const auto* const group : order) {
        const auto& [key, times] = *group;
        table.addRow(times.longest);
        setGroup(table, request.scope.by, key.group);
        table.setNumber(first, key.pid);
        table.setNumber(first + 1, key.tid);
        if (key.device >= 0) table.setNumber(first + 2, key.device);
        table.setNumber(first + 3, static_cast<int64_t>(times.total.size()));
        table.setNumber(first + 4, static_cast<int64_t>(times.queue.size()));
        size_t column = first + 5;
        for (const auto* const values : {&times.total, &times.call, &times.queue, &times.kernel}) {
            setExecTimes(table, column, *values);
            column += 5;
        }
        table.setText(column, key.call);
        table.setText(column + 1, key.kernel);
    }
    table.source.rows = "kernels and the calls that launched them, joined by correlation ID within their "
                        "process";
    if (request.scope.time) table.source.rules.push_back(windowRule(request.scope, "kernels", ", in full"));
    noteWholeGraphs(table, request.workspace);
    if (found.kernels > 0 && found.called == 0)
        table.source.whenEmpty = noneInScopeText("kernels", found.kernels) + " has a recorded launch call.";
    return table;
}

} // namespace

Analysis cudaKernExecSum()
{
    return {"cuda_kern_exec_sum", kKernExecSumTitle, "kernels and the calls that launched them",
            kKernExecSumArguments, cudaKernExecSumRows};
}

} // namespace lockstep
