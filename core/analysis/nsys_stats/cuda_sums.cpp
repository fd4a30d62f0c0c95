// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_sums.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/kernel_labels.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/recorded_facts.h"
#include "core/analysis/registry.h"
#include "core/analysis/rows_by_start.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuKernSumTitle = "CUDA GPU kernel summary";
constexpr std::array kCudaGpuKernSumArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

// Names that are stored in the report can be found without a file access per kernel.
SummaryRule storedNameRule(KernelNames names)
{
    SummaryRule rule;
    rule.pick = pickSlices(rowKinds({RowKind::kernel}),
                           [names](const Report& report, SliceId slice) { return names.key(report, slice); });
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
    };
    return rule;
}

Result<Table> cudaGpuKernSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const bool readsFile =
        request.arguments.flag(kMangledArgument.name) || request.arguments.flag(kNvtxNameArgument.name);
    const KernelNames names{request.arguments.flag(kBaseArgument.name)};
    KernelGroups groups;
    if (readsFile) groups = LOCKSTEP_TRY(KernelGroups::of(request, false, progress));
    const SummaryRule rule = readsFile ? groups.rule() : storedNameRule(names);
    const std::string meaning = readsFile       ? groups.meaning()
                                : names.areBase ? "base name of the kernel"
                                                : "full name of the kernel";
    Table table = LOCKSTEP_TRY(timeSummaryTable(rule, request, kCudaGpuKernSumTitle, "Instances",
                                                {{"Name", "", ColumnType::text, 0, meaning}}, progress));
    table.source.rows = "slices of kind kernel";
    table.source.rules.insert(table.source.rules.end(), groups.rules().begin(), groups.rules().end());
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Result<std::vector<SummaryGroup>> kernelSums(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule = storedNameRule(KernelNames{true});
    rule.countsClipped = true;
    return summarize(rule, request, progress);
}

Analysis cudaGpuKernSum()
{
    return {"cuda_gpu_kern_sum", kCudaGpuKernSumTitle, "kernels", kCudaGpuKernSumArguments,
            cudaGpuKernSumRows};
}

namespace {

constexpr std::string_view kKernGbSumTitle = "CUDA GPU kernel, grid and block summary";
constexpr std::array kKernGbSumArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

Result<Table> kernGbSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const KernelGroups groups = LOCKSTEP_TRY(KernelGroups::of(request, true, progress));
    Table table = LOCKSTEP_TRY(timeSummaryTable(groups.rule(), request, kKernGbSumTitle, "Instances",
                                                {{"GridXYZ", "", ColumnType::text, 0, "blocks per grid"},
                                                 {"BlockXYZ", "", ColumnType::text, 0, "threads per block"},
                                                 {"Name", "", ColumnType::text, 0, groups.meaning()}},
                                                progress));
    table.source.rows = "slices of kind kernel";
    table.source.rules.insert(table.source.rules.end(), groups.rules().begin(), groups.rules().end());
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

// The cuda_gpu_kern_gb_sum analysis: kernels grouped by name, grid and block, like the nsys stats report with
// this name.
Analysis cudaGpuKernGbSum()
{
    return {"cuda_gpu_kern_gb_sum", kKernGbSumTitle, "kernels", kKernGbSumArguments, kernGbSumRows};
}

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

// The cuda_kern_exec_sum analysis: kernels with the calls that launched them. Lists the durations of the
// call, of the queueing and of the kernel, like the nsys stats report with this name.
Analysis cudaKernExecSum()
{
    return {"cuda_kern_exec_sum", kKernExecSumTitle, "kernels and the calls that launched them",
            kKernExecSumArguments, cudaKernExecSumRows};
}

namespace {

constexpr std::string_view kCudaGpuMemSizeSumTitle = "CUDA GPU memory size summary";
constexpr RowKinds kCopyKinds = rowKinds({RowKind::memcpy, RowKind::memset});
constexpr int64_t kBytesPerThousandth = 1000; // fraction of a MB; the smallest displayed amount

void addSizeColumns(Table& table)
{
    const auto add = [&](const char* name, const char* doc) {
        table.addColumn({name, "MB", ColumnType::bytes, 3, doc});
    };
    add("Total", "sum of the sizes, in 10^6 bytes");
    table.addColumn({"Count", "", ColumnType::integer, 0, "number of operations with a recorded size"});
    table.markSums({"Total", "Count"});
    add("Avg", "Total / Count");
    add("Med", "median size; the mean of the two middle ones for an even count");
    add("Min", "smallest size");
    add("Max", "largest size");
    add("StdDev", "sample standard deviation (divisor n - 1); 0.000 for a single operation");
    table.addColumn({"Operation", "", ColumnType::text, 0, "direction of the copy, or memset"});
}

void setSizes(Table& table, size_t column, const DurationStatistics& statistics)
{
    table.setNumber(column++, roundedQuotient(statistics.total, kBytesPerThousandth));
    table.setNumber(column++, statistics.count);
    table.setNumber(column++, statistics.average(1, kBytesPerThousandth));
    table.setNumber(column++, statistics.median(1, kBytesPerThousandth));
    table.setNumber(column++, roundedQuotient(statistics.minimum, kBytesPerThousandth));
    table.setNumber(column++, roundedQuotient(statistics.maximum, kBytesPerThousandth));
    table.setNumber(column++, statistics.standardDeviation(1, kBytesPerThousandth));
}

Result<Table> cudaGpuMemSizeSumRows(const AnalysisRequest& request, const Progress& progress)
{
    std::atomic<uint64_t> withoutSize = 0;
    SummaryRule rule;
    rule.unknownAmounts = &withoutSize;
    rule.hasAmounts = true;
    rule.pick = [](ReportKey, const Report& report, uint32_t first, uint32_t last,
                   std::vector<SummaryPick>& out) {
        for (uint32_t row = first; row < last; ++row) {
            const SliceId slice(row);
            if (!holds(kCopyKinds, report.slices.kind[row])) continue;
            const MemoryOp* const op = report.memoryOpOf(slice);
            const bool hasSize = op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns);
            out.push_back({row, uint64_t(copyKindOf(report, slice)), report.slices.range(slice),
                           hasSize ? static_cast<int64_t>(op->size_bytes) : -1});
        }
    };
    rule.labels = [](const Report&, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(copyKindName(static_cast<CopyKind>(key)))};
    };
    const std::vector<SummaryGroup> groups = LOCKSTEP_TRY(summarize(rule, request, progress));
    Table table{std::string(request.what), std::string(kCudaGpuMemSizeSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addSizeColumns(table);
    for (const SummaryGroup& group : groups) {
        table.addRow(group.longest);
        setGroup(table, request.scope.by, group.group);
        setSizes(table, first, group.statistics);
        table.setText(table.columnCount() - 1, group.labels[0]);
    }
    table.source.rows = "slices of kind memcpy and memset with a recorded size";
    if (request.scope.time) {
        table.source.rules.push_back(windowRule(request.scope, "operations", ", with their full size"));
    }
    if (withoutSize > 0) {
        table.source.rules.push_back(std::to_string(withoutSize) +
                                     " operations have no recorded size and are left out");
        table.source.whenEmpty = noneInScopeText("copies and memsets", withoutSize) + " has a size.";
    }
    return table;
}

} // namespace

// The cuda_gpu_mem_size_sum analysis: bytes moved by copies and memsets, by operation, like the nsys stats
// report with this name. 1 MB is 10^6 bytes. Operations without a recorded size are excluded; the table's
// rules state their number.
Analysis cudaGpuMemSizeSum()
{
    return withCharts(
        {"cuda_gpu_mem_size_sum", kCudaGpuMemSizeSumTitle, "copies or memsets", {}, cudaGpuMemSizeSumRows},
        {{ChartKind::bars, {"Operation"}, {"Total"}}});
}

namespace {

constexpr std::string_view kUmSumTitle = "Unified memory analysis summary";
constexpr AnalysisArgument kUmRows{
    "rows", "maximum number of rows; -1: all", ArgumentType::whole, "10", "rows", -1};
constexpr std::array kUmArguments{kUmRows};

// Transfers and faults at one address; each is nullopt if there are none of that kind.
struct Migrations {
    std::optional<int64_t> toDevice_bytes, toHost_bytes, cpuFaults, gpuFaults;
    int64_t moved_ns = 0;
    SliceRef longest;
    int64_t longest_ns = -1;

    // Returns a rate in thousandths of a MB/s; nullopt if there is no transfer, or if the duration is 0.
    std::optional<int64_t> throughput() const
    {
        if ((!toDevice_bytes && !toHost_bytes) || moved_ns == 0) return std::nullopt;
        const __int128 moved = __int128(toDevice_bytes.value_or(0)) + toHost_bytes.value_or(0);
        return roundedQuotient(moved * 1'000'000, moved_ns);
    }
};

// Addresses are sorted as unsigned integers.
using ByAddress = std::map<std::pair<GroupKey, uint64_t>, Migrations>;

struct Gathered {
    ByAddress pages;
    uint64_t withoutAddress = 0;
    std::string missing; // a rule for the table, or ""
};

enum class UmRow : uint8_t { other, toDevice, toHost, cpuFault, gpuFault };

UmRow umRowOf(const Report& report, SliceId slice)
{
    if (report.slices.kind[slice.value] == RowKind::memcpy) {
        const MemoryOp* const op = report.memoryOpOf(slice);
        if (op == nullptr) return UmRow::other;
        return op->kind == CopyKind::unifiedHostToDevice   ? UmRow::toDevice
               : op->kind == CopyKind::unifiedDeviceToHost ? UmRow::toHost
                                                           : UmRow::other;
    }
    const uint8_t table = report.slices.source[slice.value].table();
    const std::string_view name = table < report.sourceTables.size()
                                      ? std::string_view(report.sourceTables[table])
                                      : std::string_view();
    return name == "CUDA_UM_CPU_PAGE_FAULT_EVENTS"   ? UmRow::cpuFault
           : name == "CUDA_UM_GPU_PAGE_FAULT_EVENTS" ? UmRow::gpuFault
                                                     : UmRow::other;
}

void addUmRow(Migrations& at, const Report& report, SliceRef row, std::optional<int64_t> faults)
{
    const auto add = [](std::optional<int64_t>& sum, int64_t amount) { sum = sum.value_or(0) + amount; };
    const int64_t length_ns = report.slices.duration_ns[row.slice.value];
    const UmRow what = umRowOf(report, row.slice);
    if (what == UmRow::cpuFault) add(at.cpuFaults, 1);
    if (what == UmRow::gpuFault && faults) add(at.gpuFaults, *faults);
    if (what == UmRow::toDevice || what == UmRow::toHost) {
        const auto size = static_cast<int64_t>(report.memoryOpOf(row.slice)->size_bytes);
        add(what == UmRow::toDevice ? at.toDevice_bytes : at.toHost_bytes, size);
        at.moved_ns += length_ns;
    }
    if (length_ns <= at.longest_ns) return;
    at.longest_ns = length_ns;
    at.longest = row;
}

Result<Gathered> gatherMigrations(const AnalysisRequest& request, const Progress& progress)
{
    Gathered out;
    const Workspace& workspace = request.workspace;
    RowsByStart rows(request.scene, request.scope, rowKinds({RowKind::memcpy, RowKind::memoryEvent}));
    bool hasRows = false;
    uint32_t visited = 0;
    for (PlacedRow row; rows.next(row);) {
        if (++visited % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        const Report& report = workspace.report(row.report);
        if (umRowOf(report, row.slice) == UmRow::other) continue;
        hasRows = true;
        const RowFacts facts = report.factsOf(row.slice);
        const auto address = facts.number(RowFact::address);
        if (!address) {
            ++out.withoutAddress;
            continue;
        }
        addUmRow(out.pages[{*row.group, static_cast<uint64_t>(*address)}], report, row.ref(),
                 facts.number(RowFact::faults));
    }
    if (hasRows) out.missing = missingFacts(workspace, rows.reports());
    return out;
}

std::string pageAddressText(uint64_t address)
{
    std::array<char, 24> text;
    const int size =
        std::snprintf(text.data(), text.size(), "0x%llX", static_cast<unsigned long long>(address));
    return std::string(text.data(), static_cast<size_t>(size));
}

void addUmColumns(Table& table)
{
    const auto amount = [&](const char* name, const char* unit, const char* doc) {
        table.addColumn({name, unit, ColumnType::bytes, 3, doc});
    };
    table.addColumn({"Virtual Address", "", ColumnType::text, 0, "start address of the pages"});
    amount("HtoD Migration Size", "MB", "bytes moved from host to device, in 10^6 bytes");
    amount("DtoH Migration Size", "MB", "bytes moved from device to host, in 10^6 bytes");
    table.addColumn({"CPU Page Faults", "", ColumnType::integer, 0, "number of CPU page faults"});
    table.addColumn({"GPU Page Faults", "", ColumnType::integer, 0, "number of GPU page faults"});
    table.markSums({"HtoD Migration Size", "DtoH Migration Size", "CPU Page Faults", "GPU Page Faults"});
    amount("Migration Throughput", "MB/s", "bytes moved / sum of the durations of the transfers");
}

Result<Table> umSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const Gathered gathered = LOCKSTEP_TRY(gatherMigrations(request, progress));
    std::vector<const ByAddress::value_type*> order;
    for (const auto& page : gathered.pages)
        order.push_back(&page);
    std::ranges::stable_sort(order, {}, [](const ByAddress::value_type* page) {
        return std::pair(page->first.first, -page->second.throughput().value_or(-1));
    });
    Table table{std::string(request.what), std::string(kUmSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addUmColumns(table);
    const int64_t most = request.arguments.whole(kUmRows.name);
    std::map<GroupKey, int64_t> listed;
    for (const auto* const page : order) {
        if (most >= 0 && listed[page->first.first]++ >= most) continue;
        const Migrations& at = page->second;
        table.addRow(at.longest);
        setGroup(table, request.scope.by, page->first.first);
        table.setText(first, pageAddressText(page->first.second));
        const auto set = [&](size_t column, std::optional<int64_t> number, int64_t unit) {
            if (number) table.setNumber(first + column, roundedQuotient(*number, unit));
        };
        set(1, at.toDevice_bytes, 1000);
        set(2, at.toHost_bytes, 1000);
        set(3, at.cpuFaults, 1);
        set(4, at.gpuFaults, 1);
        set(5, at.throughput(), 1);
    }
    table.source.rows = "unified-memory copies between host and device, and page faults";
    const auto addRule = [&](const std::string& rule) { table.source.rules.push_back(rule); };
    if (order.size() > table.rowCount())
        addRule("the first " + std::to_string(most) + " addresses by throughput" +
                (request.scope.by == GroupBy::total ? "" : " of each group") + ", of " +
                std::to_string(order.size()) + "; rows=-1 lists all");
    if (gathered.withoutAddress > 0) {
        addRule(std::to_string(gathered.withoutAddress) + " rows without an address are left out");
        table.source.whenEmpty = noneInScopeText("transfers and page faults", gathered.withoutAddress) +
                                 " has an address" +
                                 (gathered.missing.empty() ? "." : ": " + gathered.missing + ".");
    }
    if (!order.empty()) table.source.whenEmpty = limitText(kUmRows, order.size());
    if (!gathered.missing.empty()) addRule(gathered.missing);
    if (request.scope.time) addRule("rows that overlap the time range are counted, in full");
    if (request.scope.name) addRule("the name filter does not apply: rows are addresses");
    return table;
}

} // namespace

// The um_sum analysis: unified-memory transfers between host and device and page faults, by virtual address
// of the pages, like the nsys stats report with this name. Throughput is exact, as in cuda_gpu_trace.
Analysis umSum()
{
    return {"um_sum", kUmSumTitle, "unified-memory transfers or page faults", kUmArguments, umSumRows};
}

} // namespace lockstep
