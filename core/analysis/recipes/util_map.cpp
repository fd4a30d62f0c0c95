// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/recipes/util_map.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/recipes/device_columns.h"
#include "core/analysis/recipes/time_bins.h"
#include "core/analysis/training/kernel_class.h"

namespace lockstep {

namespace {

constexpr std::string_view kUtilMapTitle = "GPU utilization over time";
constexpr std::string_view kNcclMapTitle = "Communication and computation over time";
constexpr std::array kMapArguments{kBins};
constexpr RowKinds kKernels = rowKinds({RowKind::kernel, RowKind::graphLaunch});

// Returns, for each bin, the time that is covered by a set. O(ranges + bins).
std::vector<int64_t> coveredByBin(const IntervalSet& set, const TimeBins& bins)
{
    std::vector<int64_t> out(static_cast<size_t>(bins.count), 0);
    int64_t at = 0;
    for (const TimeRange& range : set.ranges()) {
        while (at < bins.count && bins.edge(at + 1) <= range.begin)
            ++at;
        for (int64_t i = at; i < bins.count && bins.edge(i) < range.end; ++i)
            out[static_cast<size_t>(i)] += range.clippedTo(bins.bin(i)).length().ns;
    }
    return out;
}

// Returns ranges on the aligned axis.
IntervalSet workOf(const AnalysisRequest& request, const DeviceWork& work, std::optional<KernelClass> of)
{
    const Report& report = request.workspace.report(work.report);
    const ClockMap& map = request.alignment.map(work.report);
    std::vector<TimeRange> ranges;
    for (const DeviceOperation& operation : work.operations) {
        if (!of || kernelClassOf(report, operation.slice) == *of)
            ranges.push_back(map.alignedFromTrace(operation.range));
    }
    return IntervalSet::unionOf(std::move(ranges));
}

// Returns, for each bin, the operation with the most time in it; invalid for empty bins.
std::vector<SliceId> longestByBin(const AnalysisRequest& request, const DeviceWork& work,
                                  const TimeBins& bins)
{
    const ClockMap& map = request.alignment.map(work.report);
    std::vector<SliceId> out(static_cast<size_t>(bins.count));
    std::vector<int64_t> most_ns(out.size(), 0);
    int64_t at = 0;
    for (const DeviceOperation& operation : work.operations) { // sorted by start
        const TimeRange range = map.alignedFromTrace(operation.range);
        while (at < bins.count && bins.edge(at + 1) <= range.begin)
            ++at;
        for (int64_t i = at; i < bins.count && bins.edge(i) < range.end; ++i) {
            const int64_t part_ns = range.clippedTo(bins.bin(i)).length().ns;
            if (part_ns <= most_ns[static_cast<size_t>(i)]) continue;
            most_ns[static_cast<size_t>(i)] = part_ns;
            out[static_cast<size_t>(i)] = operation.slice;
        }
    }
    return out;
}

TimeBins binsOf(const AnalysisRequest& request, std::span<const DeviceWork> works)
{
    TimeRange extent;
    for (const DeviceWork& work : works)
        extent = extent.unitedWith(request.alignment.map(work.report).alignedFromTrace(work.extent()));
    if (request.scope.time) extent = extent.clippedTo(*request.scope.time);
    return TimeBins::of(extent, request.arguments);
}

struct MapColumn {
    const char* name;
    const char* doc;
};

using Sets = std::vector<IntervalSet> (*)(const AnalysisRequest&, const DeviceWork&);

Result<Table> mapRows(const AnalysisRequest& request, std::string_view title,
                      std::span<const MapColumn> shares, Sets setsOf, const Progress& progress)
{
    const auto window = [&](ReportKey key) { return windowOf(request.scope, request.alignment, key); };
    const auto works = LOCKSTEP_TRY(deviceWorkInScope(request, kKernels, window, progress));
    const TimeBins bins = binsOf(request, works);
    Table table{std::string(request.what), std::string(title)};
    DeviceColumns columns(request, table);
    const size_t first = table.addColumn({"Bin", "", ColumnType::integer, 0, "bin number (zero-based)"});
    table.addColumn({"Start", "ns", ColumnType::time, 0, "start of the bin, on the aligned axis"});
    table.addColumn({"Duration", "ns", ColumnType::time, 0, "duration of the bin"});
    for (const MapColumn& share : shares)
        table.addColumn({share.name, "%", ColumnType::percent, 2, share.doc});
    columns.addReport();
    for (const DeviceWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        std::vector<std::vector<int64_t>> covered;
        for (const IntervalSet& set : setsOf(request, work))
            covered.push_back(coveredByBin(set, bins));
        const std::vector<SliceId> longest = longestByBin(request, work, bins);
        for (int64_t i = 0; i < bins.count && !bins.extent.isEmpty(); ++i) {
            const auto at = static_cast<size_t>(i);
            const int64_t length_ns = bins.bin(i).length().ns;
            columns.addRow(work.report, work.process, work.group, longest[at]);
            columns.setDevice(work.report, work.device);
            table.setNumber(first, i);
            table.setNumber(first + 1, bins.edge(i).ns);
            table.setNumber(first + 2, length_ns);
            for (size_t share = 0; share < covered.size(); ++share) {
                table.setNumber(first + 3 + share,
                                roundedQuotient(__int128(covered[share][at]) * 10'000, length_ns));
            }
        }
    }
    table.source.rows = "kernels and whole graphs of a process on a device";
    table.source.rules = {"the time from the first start to the last end of all devices' work is split into "
                          "equal bins, the same for all devices",
                          "shares are relative to the bin's duration; concurrent work counts once"};
    if (request.scope.name) table.source.rules.push_back("the name filter does not apply: rows are bins");
    return table;
}

std::vector<IntervalSet> kernelsAlone(const AnalysisRequest& request, const DeviceWork& work)
{
    return {workOf(request, work, {})};
}

std::vector<IntervalSet> bySort(const AnalysisRequest& request, const DeviceWork& work)
{
    const Report& report = request.workspace.report(work.report);
    const ClockMap& map = request.alignment.map(work.report);
    std::vector<TimeRange> compute;
    for (const DeviceOperation& operation : work.operations) {
        if (kernelClassOf(report, operation.slice) != KernelClass::communication)
            compute.push_back(map.alignedFromTrace(operation.range));
    }
    const IntervalSet nccl = workOf(request, work, KernelClass::communication);
    const IntervalSet other = IntervalSet::unionOf(std::move(compute));
    return {nccl, other, nccl.intersectedWith(other)};
}

Result<Table> utilMapRows(const AnalysisRequest& request, const Progress& progress)
{
    constexpr std::array kShares{MapColumn{"In-Use", "share of time with running kernels"}};
    return mapRows(request, kUtilMapTitle, kShares, kernelsAlone, progress);
}

Result<Table> ncclMapRows(const AnalysisRequest& request, const Progress& progress)
{
    constexpr std::array kShares{MapColumn{"NCCL", "share of time with communication: NCCL, RCCL, HCCL, "
                                                   "NVSHMEM, DeepEP"},
                                 MapColumn{"Compute", "share of time with other kernels"},
                                 MapColumn{"Overlap", "share of time with both"}};
    return mapRows(request, kNcclMapTitle, kShares, bySort, progress);
}

} // namespace

Analysis cudaGpuTimeUtilMap()
{
    return {"cuda_gpu_time_util_map", kUtilMapTitle, "kernels", kMapArguments, utilMapRows};
}

Analysis ncclGpuTimeUtilMap()
{
    return {"nccl_gpu_time_util_map", kNcclMapTitle, "kernels", kMapArguments, ncclMapRows};
}

} // namespace lockstep
