// SPDX-License-Identifier: Apache-2.0
// The nsys recipes that show utilization and counters over time, in equal bins of the aligned axis.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/arguments.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/recipes/device_columns.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/kernel_class.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// TimeBins: a range on the aligned axis, split into equal bins with nanosecond precision. The bins are the
// rows in recipes that show a quantity over time. Value type.

inline constexpr AnalysisArgument kBins{"bins", "number of equal bins", ArgumentType::whole, "30", "", 1,
                                        100'000};

struct TimeBins {
    TimeRange extent;
    int64_t count = 1;

    // Returns the requested number of bins, or fewer if bins would be shorter than a nanosecond.
    static TimeBins of(TimeRange extent, const ArgumentValues& arguments)
    {
        return {extent, std::min(arguments.whole(kBins.name), std::max<int64_t>(1, extent.length().ns))};
    }
    TraceTime edge(int64_t i) const
    {
        return {extent.begin.ns + static_cast<int64_t>(__int128(extent.length().ns) * i / count)};
    }
    TimeRange bin(int64_t i) const { return {edge(i), edge(i + 1)}; }
};

// The chart of a table with one row per device and bin.
ChartRule mapOfBins(std::string_view value)
{
    return {ChartKind::heatMap, {"rank", "pid", "deviceid"}, {value}, "Start"};
}

constexpr std::string_view kMetricMapTitle = "GPU metrics over time";
constexpr std::string_view kNetworkTitle = "Network counters";
constexpr std::array kMetricMapArguments{kBins};

struct GpuMetric {
    const char* column;
    const char* doc;
    std::array<std::string_view, 2> names; // prefixes of counter names, in lower case
};
constexpr std::array kGpuMetrics{
    GpuMetric{
        "SM Active", "mean of the samples in the bin: share of SMs with work", {"sms active", "sm active"}},
    GpuMetric{"SM Issue",
              "mean of the samples in the bin: share of cycles that issued an instruction",
              {"sm issue", "sms issue"}},
    GpuMetric{"Tensor Active",
              "mean of the samples in the bin: share of cycles with active tensor cores",
              {"tensor active", "tensor core active"}}};

// The counter tracks for one GPU in a report, by metric; invalid if there is none.
struct MetricSource {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    DeviceId device;
    std::array<CounterTrackId, kGpuMetrics.size()> tracks;
};

bool isCounterInScope(const AnalysisRequest& request, ReportKey key, const CounterTrack& track)
{
    const Scope& scope = request.scope;
    if (!isInScope(scope, request.workspace, key, track.process) || !scope.streams.empty()) return false;
    if (scope.devices.empty()) return true;
    const auto ordinal = ordinalOf(request.workspace.report(key), track.device);
    return ordinal && std::ranges::any_of(scope.devices, [&](const NumberRange& range) {
               return *ordinal >= range.first && *ordinal <= range.last;
           });
}

std::vector<MetricSource> metricSources(const AnalysisRequest& request)
{
    std::map<std::tuple<GroupKey, ReportKey, ProcessId, DeviceId>, MetricSource> sources;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        for (size_t t = 0; t < report.counterTracks.size(); ++t) {
            const CounterTrack& track = report.counterTracks[t];
            const std::string name = lowerAscii(report.strings.at(track.name));
            const auto metric = std::ranges::find_if(kGpuMetrics, [&](const GpuMetric& each) {
                return name.starts_with(each.names[0]) || name.starts_with(each.names[1]);
            });
            if (metric == kGpuMetrics.end() || track.sampleCount == 0) continue;
            if (!isCounterInScope(request, key, track)) continue;
            const GroupKey group = groupKeyOf(request.scope.by, request.workspace, key, track.process);
            MetricSource& source = sources[{group, key, track.process, track.device}];
            source.group = group;
            source.report = key;
            source.process = track.process;
            source.device = track.device;
            CounterTrackId& place = source.tracks[static_cast<size_t>(metric - kGpuMetrics.begin())];
            if (!place.isValid()) place = CounterTrackId(t);
        }
    }
    std::vector<MetricSource> out;
    for (auto& [key, source] : sources)
        out.push_back(source);
    return out;
}

// Returns the aligned range from the first sample to the last, including the last sample's nanosecond.
TimeRange metricExtent(const AnalysisRequest& request, std::span<const MetricSource> sources)
{
    TimeRange extent;
    for (const MetricSource& source : sources) {
        const Report& report = request.workspace.report(source.report);
        const ClockMap& map = request.alignment.map(source.report);
        for (const CounterTrackId id : source.tracks) {
            if (!id.isValid()) continue;
            const CounterTrack& track = report.counterTracks[id.value];
            const int64_t first = report.counters.time_ns[track.firstSample];
            const int64_t last = report.counters.time_ns[track.firstSample + track.sampleCount - 1];
            extent = extent.unitedWith(map.alignedFromTrace(TimeRange{{first}, {last + 1}}));
        }
    }
    return request.scope.time ? extent.clippedTo(*request.scope.time) : extent;
}

struct BinMean {
    long double sum = 0;
    int64_t count = 0;
};

std::vector<BinMean> meansOf(const AnalysisRequest& request, const MetricSource& source, CounterTrackId id,
                             const TimeBins& bins)
{
    std::vector<BinMean> means(static_cast<size_t>(bins.count));
    if (!id.isValid() || bins.extent.isEmpty()) return means;
    const Report& report = request.workspace.report(source.report);
    const ClockMap& map = request.alignment.map(source.report);
    const CounterTrack& track = report.counterTracks[id.value];
    int64_t bin = 0;
    for (uint32_t i = track.firstSample; i < track.firstSample + track.sampleCount; ++i) {
        const TraceTime at = map.alignedFromTrace(TraceTime{report.counters.time_ns[i]});
        if (!bins.extent.contains(at)) continue;
        while (bin > 0 && at < bins.edge(bin))
            --bin;
        while (bin + 1 < bins.count && bins.edge(bin + 1) <= at)
            ++bin;
        means[static_cast<size_t>(bin)].sum += report.counters.value[i];
        ++means[static_cast<size_t>(bin)].count;
    }
    return means;
}

Result<Table> metricMapRows(const AnalysisRequest& request, const Progress& progress)
{
    const std::vector<MetricSource> sources = metricSources(request);
    const TimeBins bins = TimeBins::of(metricExtent(request, sources), request.arguments);
    Table table{std::string(request.what), std::string(kMetricMapTitle)};
    DeviceColumns columns(request, table);
    const size_t first = table.addColumn({"Bin", "", ColumnType::integer, 0, "bin number (zero-based)"});
    table.addColumn({"Start", "ns", ColumnType::time, 0, "start of the bin, on the aligned axis",
                     ColumnMeaning::alignedTime});
    table.addColumn({"Duration", "ns", ColumnType::time, 0, "duration of the bin"});
    for (const GpuMetric& metric : kGpuMetrics)
        table.addColumn({metric.column, "%", ColumnType::percent, 2, metric.doc});
    table.addColumn({"Samples", "", ColumnType::integer, 0, "most samples of any metric in the bin"});
    columns.addReport();
    for (const MetricSource& source : sources) {
        LOCKSTEP_TRY(progress.check());
        std::array<std::vector<BinMean>, kGpuMetrics.size()> means;
        for (size_t m = 0; m < means.size(); ++m)
            means[m] = meansOf(request, source, source.tracks[m], bins);
        for (int64_t i = 0; i < bins.count && !bins.extent.isEmpty(); ++i) {
            columns.addRow(source.report, source.process, source.group);
            columns.setDevice(source.report, source.device);
            table.setNumber(first, i);
            table.setNumber(first + 1, bins.edge(i).ns);
            table.setNumber(first + 2, bins.bin(i).length().ns);
            int64_t samples = 0;
            for (size_t m = 0; m < means.size(); ++m) {
                const BinMean& mean = means[m][static_cast<size_t>(i)];
                samples = std::max(samples, mean.count);
                if (mean.count > 0 && std::isfinite(mean.sum))
                    table.setNumber(first + 3 + m, std::llround(mean.sum * 100 / mean.count));
            }
            table.setNumber(first + 3 + means.size(), samples);
        }
    }
    table.source.rows = "counters whose names begin with SMs Active, SM Issue or Tensor Active";
    table.source.rules = {"a metric without samples in a bin is empty, not 0: nothing is interpolated",
                          "the time from the first to the last sample of all GPUs is split into equal bins, "
                          "the same for all GPUs"};
    if (request.scope.name) table.source.rules.push_back("the name filter does not apply: rows are bins");
    size_t counters = 0;
    for (const ReportKey key : request.workspace.keys())
        counters += request.workspace.report(key).counterTracks.size();
    if (sources.empty() && counters > 0) {
        table.source.whenEmpty =
            noneInScopeText("counters", counters) + " is SMs Active, SM Issue or Tensor Active.";
    }
    return table;
}

// Returns the rates of the samples in the time range, in thousandths; rates beyond the integer range are
// omitted.
std::vector<int64_t> ratesOf(const AnalysisRequest& request, ReportKey key, const CounterTrack& track)
{
    const Report& report = request.workspace.report(key);
    const auto window = windowOf(request.scope, request.alignment, key);
    std::vector<int64_t> rates;
    for (uint32_t i = track.firstSample; i < track.firstSample + track.sampleCount; ++i) {
        if (window && !window->contains(TraceTime{report.counters.time_ns[i]})) continue;
        const double thousandths = report.counters.value[i] * 1000;
        if (std::isfinite(thousandths) && std::abs(thousandths) < 4e18)
            rates.push_back(std::llround(thousandths));
    }
    return rates;
}

bool isNetworkRate(const Report& report, const CounterTrack& track)
{
    return !track.device.isValid() && report.strings.at(track.unit).ends_with("/s");
}

bool hasNetworkRows(const Report& report)
{
    return std::ranges::any_of(report.sourceTables, [](const std::string& table) {
        return table == "NET_NIC_METRIC" || table == "NET_IB_SWITCH_METRIC";
    });
}

Result<Table> networkSumRows(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kNetworkTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.addColumn({"Counter", "", ColumnType::text, 0, "device, port and metric"});
    table.addColumn({"Unit", "", ColumnType::text, 0, "of the rates"});
    table.addColumn({"Samples", "", ColumnType::integer, 0, "number of samples"});
    table.markSums({"Samples"});
    for (const auto& [name, doc] :
         {std::pair("Avg", "mean rate of the samples"), std::pair("Med", "median rate of the samples"),
          std::pair("Min", "lowest rate"), std::pair("Max", "highest rate"),
          std::pair("StdDev", "sample standard deviation (divisor n - 1); 0.000 for a single sample")})
        table.addColumn({name, "", ColumnType::real, 3, doc});
    const bool namesReport = request.scope.by != GroupBy::report && request.workspace.size() > 1;
    if (namesReport)
        table.addColumn({"Report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
    std::map<std::tuple<GroupKey, std::string, ReportKey, size_t>, std::vector<int64_t>> byCounter;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        if (!hasNetworkRows(report)) continue;
        for (size_t t = 0; t < report.counterTracks.size(); ++t) {
            LOCKSTEP_TRY(progress.check());
            const CounterTrack& track = report.counterTracks[t];
            if (!isNetworkRate(report, track) || !isCounterInScope(request, key, track)) continue;
            const std::string name(report.strings.at(track.name));
            if (request.scope.name && !request.scope.name->matches(name)) continue;
            std::vector<int64_t> rates = ratesOf(request, key, track);
            if (rates.empty()) continue;
            const GroupKey group = groupKeyOf(request.scope.by, request.workspace, key, track.process);
            byCounter[{group, name, key, t}] = std::move(rates);
        }
    }
    for (auto& [counter, rates] : byCounter) {
        const auto& [group, name, key, t] = counter;
        const Report& report = request.workspace.report(key);
        const DurationStatistics statistics = durationStatistics(rates);
        table.addRow();
        setGroup(table, request.scope.by, group);
        table.setText(first, name);
        table.setText(first + 1, report.strings.at(report.counterTracks[t].unit));
        table.setNumber(first + 2, statistics.count);
        table.setNumber(first + 3, statistics.average(1));
        table.setNumber(first + 4, statistics.median(1));
        table.setNumber(first + 5, statistics.minimum);
        table.setNumber(first + 6, statistics.maximum);
        table.setNumber(first + 7, statistics.standardDeviation(1));
        if (namesReport) table.setText(first + 8, report.provenance.path.string());
    }
    table.source.rows = "rows of NET_NIC_METRIC and NET_IB_SWITCH_METRIC";
    table.source.rules = {
        "the rate of a sample is its amount divided by its interval; all samples have equal "
        "weight, whatever their interval"};
    return table;
}

} // namespace

// nsys recipes for sampled values. gpu_metric_util_map: mean SM Active, SM Issue and Tensor Active per GPU in
// equal time bins. network_sum: statistics of the rates of each network port counter.
Analysis gpuMetricUtilMap()
{
    return withCharts(
        {"gpu_metric_util_map", kMetricMapTitle, "GPU metrics", kMetricMapArguments, metricMapRows},
        {mapOfBins("SM Active")});
}

Analysis networkSum()
{
    return {"network_sum", kNetworkTitle, "network counters", {}, networkSumRows};
}

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
    table.addColumn({"Start", "ns", ColumnType::time, 0, "start of the bin, on the aligned axis",
                     ColumnMeaning::alignedTime});
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

std::vector<IntervalSet> byClass(const AnalysisRequest& request, const DeviceWork& work)
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
    return mapRows(request, kNcclMapTitle, kShares, byClass, progress);
}

} // namespace

// The heat maps of the nsys recipes: device utilization in equal time bins (spec/nsys.md 6.3).
// cuda_gpu_time_util_map: by kernels. nccl_gpu_time_util_map: by communication, by other kernels, and by
// both.
Analysis cudaGpuTimeUtilMap()
{
    return withCharts({"cuda_gpu_time_util_map", kUtilMapTitle, "kernels", kMapArguments, utilMapRows},
                      {mapOfBins("In-Use")});
}

Analysis ncclGpuTimeUtilMap()
{
    return withCharts({"nccl_gpu_time_util_map", kNcclMapTitle, "kernels", kMapArguments, ncclMapRows},
                      {mapOfBins("NCCL")});
}

} // namespace lockstep
