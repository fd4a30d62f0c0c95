// SPDX-License-Identifier: Apache-2.0
// The nsys recipe cuda_gpu_kern_hist: a histogram of instance durations for each kernel, with bins of equal
// width between its shortest and its longest duration.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/rows_by_start.h"

namespace lockstep {

namespace {

constexpr std::string_view kHistogramTitle = "CUDA GPU kernel duration histogram";
constexpr AnalysisArgument kHistogramBins{
    "bins", "number of equal bins per kernel", ArgumentType::whole, "30", "", 1, 100'000};
constexpr AnalysisArgument kHistogramKernels{
    "kernels",
    "maximum number of kernels, those with the largest total first; -1: all",
    ArgumentType::whole,
    "20",
    "",
    -1};
constexpr std::array kHistogramArguments{kHistogramBins, kHistogramKernels, kBaseArgument};

struct Histogram {
    int64_t count = 0, least_ns = 0, most_ns = 0;
    __int128 total_ns = 0;
    std::vector<int64_t> bins;     // counts by bin
    std::vector<SliceRef> longest; // by bin
    std::vector<int64_t> longest_ns;

    // Returns the start of bin i. The edges of bins are whole ns; the last bin contains the longest duration.
    int64_t edge(int64_t i) const
    {
        const __int128 width = __int128(most_ns) - least_ns + 1;
        return least_ns + static_cast<int64_t>(width * i / static_cast<int64_t>(bins.size()));
    }
    size_t binOf(int64_t length_ns) const
    {
        const __int128 width = __int128(most_ns) - least_ns + 1;
        const auto parts = static_cast<int64_t>(bins.size());
        auto i = static_cast<int64_t>(__int128(length_ns - least_ns) * parts / width);
        while (i + 1 < parts && edge(i + 1) <= length_ns)
            ++i;
        while (i > 0 && edge(i) > length_ns)
            --i;
        return static_cast<size_t>(i);
    }
};

using HistogramKey = std::pair<GroupKey, std::string>;
using Histograms = std::map<HistogramKey, Histogram>;

// Calls visit(histogram, row, duration) for each kernel in scope, with its duration clipped to the time
// range.
template<class Visit>
Status forEachKernel(const AnalysisRequest& request, Histograms& histograms, const Progress& progress,
                     const Visit& visit)
{
    const KernelNames names{request.arguments.flag(kBaseArgument.name)};
    RowsByStart rows(request.scene, request.scope, rowKinds({RowKind::kernel}));
    std::map<std::tuple<const GroupKey*, ReportKey, uint64_t>, Histogram*>
        known; // nullptr: the row is excluded
    PlacedRow row;
    for (uint32_t looked = 1; rows.next(row); ++looked) {
        if (looked % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(row.report);
        const uint64_t name = names.key(report, row.slice);
        const auto [entry, isNew] = known.try_emplace({row.group, row.report, name}, nullptr);
        if (isNew) {
            const std::string text(report.strings.at(StringId(static_cast<uint32_t>(name))));
            if (!request.scope.name || request.scope.name->matches(text))
                entry->second = &histograms[{*row.group, text}];
        }
        if (entry->second == nullptr) continue;
        TimeRange range = report.slices.range(row.slice);
        if (const auto window = windowOf(request.scope, request.alignment, row.report))
            range = range.clippedTo(*window);
        visit(*entry->second, row.ref(), std::max<int64_t>(0, range.length().ns));
    }
    return progress.check();
}

void addHistogramColumns(Table& table)
{
    table.addColumn({"Name", "", ColumnType::text, 0, "name of the kernel"});
    table.addColumn({"Bin", "", ColumnType::integer, 0, "bin number (zero-based)"});
    table.addColumn({"From", "ns", ColumnType::time, 0, "shortest duration in the bin"});
    table.addColumn({"To", "ns", ColumnType::time, 0, "durations in the bin are below this value"});
    table.addColumn({"Instances", "", ColumnType::integer, 0, "number of instances in the bin"});
    table.markSums({"Instances"});
    table.addColumn({"Share", "%", ColumnType::percent, 2, "share of the kernel's instances"});
    table.addColumn({"Up To", "%", ColumnType::percent, 2,
                     "share of the kernel's instances in this bin and all "
                     "shorter ones"});
}

void addHistogram(Table& table, size_t first, GroupBy by, const HistogramKey& key, const Histogram& histogram)
{
    int64_t before = 0;
    for (size_t i = 0; i < histogram.bins.size(); ++i) {
        before += histogram.bins[i];
        table.addRow(histogram.longest[i]);
        setGroup(table, by, key.first);
        table.setText(first, key.second);
        table.setNumber(first + 1, static_cast<int64_t>(i));
        table.setNumber(first + 2, histogram.edge(static_cast<int64_t>(i)));
        table.setNumber(first + 3, histogram.edge(static_cast<int64_t>(i) + 1));
        table.setNumber(first + 4, histogram.bins[i]);
        table.setNumber(first + 5, roundedQuotient(__int128(histogram.bins[i]) * 10'000, histogram.count));
        table.setNumber(first + 6, roundedQuotient(__int128(before) * 10'000, histogram.count));
    }
}

Result<Histograms> countedHistograms(const AnalysisRequest& request, const Progress& progress)
{
    Histograms histograms;
    LOCKSTEP_TRY(forEachKernel(request, histograms, progress, [](Histogram& of, SliceRef, int64_t length_ns) {
        of.least_ns = of.count == 0 ? length_ns : std::min(of.least_ns, length_ns);
        of.most_ns = std::max(of.most_ns, length_ns);
        of.total_ns += length_ns;
        ++of.count;
    }));
    const int64_t requestedBins = request.arguments.whole(kHistogramBins.name);
    for (auto& [key, of] : histograms) {
        const auto bins = static_cast<size_t>(std::min(requestedBins, of.most_ns - of.least_ns + 1));
        of.bins.assign(bins, 0);
        of.longest.assign(bins, {});
        of.longest_ns.assign(bins, -1);
    }
    LOCKSTEP_TRY(
        forEachKernel(request, histograms, progress, [](Histogram& of, SliceRef row, int64_t length_ns) {
            const size_t bin = of.binOf(length_ns);
            ++of.bins[bin];
            if (length_ns <= of.longest_ns[bin]) return;
            of.longest_ns[bin] = length_ns;
            of.longest[bin] = row;
        }));
    return histograms;
}

Result<Table> histogramRows(const AnalysisRequest& request, const Progress& progress)
{
    const Histograms histograms = LOCKSTEP_TRY(countedHistograms(request, progress));
    std::vector<const Histograms::value_type*> order;
    for (const auto& each : histograms)
        order.push_back(&each);
    std::ranges::stable_sort(order, [](const auto* a, const auto* b) {
        if (a->first.first != b->first.first) return a->first.first < b->first.first;
        return a->second.total_ns > b->second.total_ns;
    });
    Table table{std::string(request.what), std::string(kHistogramTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addHistogramColumns(table);
    const int64_t most = request.arguments.whole(kHistogramKernels.name);
    std::map<GroupKey, int64_t> listed;
    size_t left = 0;
    for (const auto* const each : order) {
        if (most >= 0 && listed[each->first.first]++ >= most)
            ++left;
        else
            addHistogram(table, first, request.scope.by, each->first, each->second);
    }
    table.source.rows = "slices of kind kernel";
    table.source.rules = {"the bins of a kernel are equally wide, in whole ns, from its shortest to its "
                          "longest duration; their number is at most the difference in ns"};
    if (left > 0)
        table.source.rules.push_back(std::to_string(left) +
                                     " kernels with less total time are left out; kernels=-1 lists all");
    if (request.scope.time)
        table.source.rules.push_back(
            "slices that overlap the time range are counted, with their durations clipped to it");
    noteWholeGraphs(table, request.workspace);
    if (!order.empty()) table.source.whenEmpty = limitText(kHistogramKernels, order.size());
    return table;
}

} // namespace

Analysis cudaGpuKernHist()
{
    return withCharts({"cuda_gpu_kern_hist", kHistogramTitle, "kernels", kHistogramArguments, histogramRows},
                      {{ChartKind::histogram, {"Name"}, {"Instances"}, "From", "To"}});
}

} // namespace lockstep
