// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/gpu_time_util.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_rules/rule_table.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 2> kUseModes{"sum", "union"};
constexpr AnalysisArgument kUseThreshold{
    "threshold", "utilization below which a period is listed", ArgumentType::number, "50", "%", 0, 1e6};
constexpr AnalysisArgument kChunks{
    "chunks", "number of equal chunks per device", ArgumentType::whole, "30", "", 1, 1000};
constexpr AnalysisArgument kUseMode{"mode",
                                    "sum adds up concurrent work, as nsys does; union counts it once",
                                    ArgumentType::choice,
                                    "sum",
                                    "",
                                    0,
                                    0,
                                    kUseModes};
constexpr std::array kGpuTimeUtilArguments{kUseThreshold,  kChunks,      kUseMode,      kRowsArgument,
                                           kStartArgument, kEndArgument, kNvtxArgument, kNoGraphsArgument};

// Adjacent chunks below the threshold, merged.
struct LittleUseRow : RuleRow {
    int64_t used_ns = 0;

    double percent() const { return 100.0 * double(used_ns) / double(range.length().ns); }
    int64_t used_permille() const { return roundedQuotient(__int128(used_ns) * 1000, range.length().ns); }
};

// used[i] is the busy time in chunk i. O(ranges + chunks that the ranges overlap).
std::vector<int64_t> usedByChunk(std::span<const TimeRange> ranges, TraceTime begin, int64_t chunk_ns,
                                 size_t chunks)
{
    std::vector<int64_t> used(chunks, 0);
    for (const TimeRange& range : ranges) {
        const auto first = static_cast<size_t>((range.begin - begin).ns / chunk_ns);
        for (size_t i = first; i < chunks; ++i) {
            const TraceTime from = begin + Duration{int64_t(i) * chunk_ns};
            if (from >= range.end) break;
            used[i] += range.clippedTo({from, from + Duration{chunk_ns}}).length().ns;
        }
    }
    return used;
}

// Returns the utilization of the least busy chunk, in percent.
double addLittleUse(const AnalysisRequest& request, const DeviceWork& work, std::vector<LittleUseRow>& out)
{
    std::vector<TimeRange> ranges;
    for (const DeviceOperation& operation : work.operations)
        ranges.push_back(operation.range);
    if (request.arguments.choice(kUseMode.name) == "union") {
        const IntervalSet busy = IntervalSet::unionOf(std::move(ranges));
        ranges.assign(busy.ranges().begin(), busy.ranges().end());
    }
    const TimeRange extent = work.extent();
    const int64_t wanted = request.arguments.whole(kChunks.name);
    const int64_t chunk_ns = (extent.length().ns + wanted - 1) / wanted;
    const auto chunks = static_cast<size_t>((extent.length().ns + chunk_ns - 1) / chunk_ns);
    const std::vector<int64_t> used = usedByChunk(ranges, extent.begin, chunk_ns, chunks);
    bool isLow = false;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < chunks; ++i) {
        const TraceTime from = extent.begin + Duration{int64_t(i) * chunk_ns};
        const TimeRange range = TimeRange{from, from + Duration{chunk_ns}}.clippedTo(extent);
        const LittleUseRow chunk{ruleRow(request, work, range, work.operations.front().slice), used[i]};
        const bool wasLow = isLow;
        least = std::min(least, chunk.percent());
        isLow = chunk.percent() < request.arguments.number(kUseThreshold.name);
        if (!isLow) continue;
        if (!wasLow) {
            out.push_back(chunk);
            continue;
        }
        out.back().range.end = chunk.range.end;
        out.back().used_ns += chunk.used_ns;
    }
    return least;
}

TableColumns<LittleUseRow> gpuTimeUtilColumns(const AnalysisRequest& request)
{
    const bool isUnion = request.arguments.choice(kUseMode.name) == "union";
    TableColumns<LittleUseRow> columns = firstRuleColumns<LittleUseRow>(request, true);
    columns.add(&LittleUseRow::used_permille, {"In-Use", "%", ColumnType::percent, 1,
                                               isUnion ? "share of Duration during which anything ran"
                                                       : "share of Duration; concurrent work adds up"});
    addRuleTime(columns, "length of the period, after merging adjacent chunks below the threshold");
    addRulePlace(columns);
    addLastRuleColumns(columns, request);
    return columns;
}

Result<AnalysisRows<LittleUseRow>> gpuTimeUtil(const AnalysisRequest& request, const Progress& progress)
{
    const auto works =
        LOCKSTEP_TRY(deviceWorkInScope(request, idleRuleKinds(request), ruleWindow(request), progress));
    std::vector<LittleUseRow> uses;
    double least = std::numeric_limits<double>::infinity();
    for (const DeviceWork& work : works)
        least = std::min(least, addLittleUse(request, work, uses));
    for (LittleUseRow& use : uses) {
        use.order = use.used_permille();
        use.second = use.duration_ns();
    }
    const bool isNone = uses.empty() && !works.empty();
    auto made = listWorst(request, std::move(uses));
    made.source.rows = "kernels, copies, memsets and whole graphs of a process on a device";
    made.source.rules.insert(
        made.source.rules.begin(),
        {"the time from a device's first work to the end of its last is split into equal "
         "chunks of whole ns; the last may be shorter"});
    if (isNone) {
        made.source.whenEmpty =
            "No period has a utilization below " +
            fixedPointText(std::llround(request.arguments.number(kUseThreshold.name) * 10), 1) +
            " % (the lowest is " + fixedPointText(std::llround(least * 10), 1) + " %). Raise the threshold " +
            optionText(kUseThreshold) + ".";
    }
    return made;
}

} // namespace

Analysis gpuTimeUtilAnalysis()
{
    return {"gpu_time_util", "Low GPU utilization periods", "kernels, copies or memsets",
            kGpuTimeUtilArguments, makeTable<gpuTimeUtil, gpuTimeUtilColumns>};
}

} // namespace lockstep
