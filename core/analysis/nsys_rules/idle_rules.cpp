// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/idle_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/analysis/device_work.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_rules/rule_table.h"
#include "core/analysis/registry.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Periods during which a profiler paused the program to write its buffers. These pauses are not the program's
// fault, so the rules about idle GPUs count them as work.

// Returns the flushes in one process between the start and end of its work: PROFILER_OVERHEAD rows named
// "CUDA profiling data flush ...", and CUPTI's "Buffer flush" rows, which Kineto names "Buffer Flush".
std::vector<TimeRange> profilerFlushes(const AnalysisRequest& request, const DeviceWork& work)
{
    const Report& report = request.workspace.report(work.report);
    const TimeRange extent = work.extent();
    std::vector<TimeRange> out;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::overhead || track.key.process != work.process) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const TimeRange range = report.slices.range(SliceId(row));
            if (report.slices.kind[row] != RowKind::overhead || !range.overlaps(extent)) continue;
            const std::string name = lowerAscii(report.nameOf(SliceId(row)));
            const bool isFlush =
                name.find("buffer flush") != name.npos || name.starts_with("cuda profiling data flush");
            if (isFlush) out.push_back(range.clippedTo(extent));
        }
    }
    return out;
}

constexpr AnalysisArgument kGapArgument{
    "gap",      "gaps longer than this are listed", ArgumentType::duration, "500", "ms", 0, 4.6e18, {},
    "threshold"};
constexpr std::array kGpuGapsArguments{kGapArgument, kRowsArgument, kStartArgument,
                                       kEndArgument, kNvtxArgument, kNoGraphsArgument};

// Returns the longest of the gaps that are too short to be listed.
Duration addGaps(const AnalysisRequest& request, const DeviceWork& work, Duration longest,
                 std::vector<GapRow>& out)
{
    Duration tooShort{0};
    const IntervalSet busy = work.busy();
    const TimeRange extent = busy.extent();
    std::vector<TimeRange> used = profilerFlushes(request, work);
    std::ranges::copy(busy.ranges(), std::back_inserter(used));
    const IntervalSet gaps = IntervalSet::unionOf(std::move(used)).gaps();
    for (const TimeRange& gap : gaps.ranges()) {
        if (gap.length() <= longest) {
            tooShort = std::max(tooShort, gap.length());
            continue;
        }
        // A click leads to the work after the gap, or after a final flush to the last work.
        const auto after =
            std::ranges::lower_bound(work.operations, gap.end, {},
                                     [](const DeviceOperation& operation) { return operation.range.begin; });
        const DeviceOperation& next = after != work.operations.end() ? *after : work.operations.back();
        out.emplace_back(ruleRow(request, work, gap.clippedTo(extent), next.slice));
        out.back().order = -gap.length().ns;
    }
    return tooShort;
}

TableColumns<GapRow> gpuGapsColumns(const AnalysisRequest& request)
{
    const auto cause = [](const GapRow& row) { return gapCauseName(row.cause); };
    TableColumns<GapRow> columns = firstRuleColumns<GapRow>(request, true);
    addRuleTime(columns, "how long the device was idle");
    addRulePlace(columns);
    columns.text(
        cause, "Cause",
        "host late to launch, synchronization or copy: the work after the gap was launched after the gap "
        "had begun, and this took the longest part of the time until the launch (synchronization and "
        "copies: calls of the launching thread); copy: also if the work was launched before the gap, and "
        "its call or copies on the GPU took at least half of the gap; kernel wait: launched before a gap "
        "shorter than 30 us; other: launched before a longer gap; empty: no launch call is recorded "
        "for the work after the gap");
    addLastRuleColumns(columns, request);
    return columns.range(&GapRow::range).note(&GapRow::note);
}

// Explains the listed gaps.
void addCauses(const Workspace& workspace, AnalysisRows<GapRow>& gaps)
{
    constexpr size_t kMaxNotes = 100'000; // about 15 MB; further rows only have a cause
    std::map<ReportKey, GapCauses> causes;
    size_t notes = 0, unknown = 0;
    for (GapRow& gap : gaps.rows) {
        const ReportKey key = gap.longest.report;
        GapCauses& known = causes.try_emplace(key, workspace.report(key)).first->second;
        ExplainedGap explained = known.of(gap.range, gap.longest.slice);
        gap.cause = explained.cause;
        if (notes++ < kMaxNotes) gap.note = std::move(explained.note);
        unknown += explained.cause == GapCause::unknown;
    }
    auto& rules = gaps.source.rules;
    rules.push_back(
        "Cause is decided as in idle_breakdown, and refined by the calls of the launching thread");
    if (unknown == 0) return;
    rules.push_back(std::to_string(unknown) + " of " + std::to_string(gaps.rows.size()) +
                    " gaps have no cause: no launch call is recorded for the work after them");
}

std::string noGapsText(Duration threshold, Duration longest)
{
    return "No gap is longer than " + durationText(threshold) +
           (longest.ns > 0 ? " (the longest is " + durationText(longest) + "). Lower the threshold " +
                                 optionText(kGapArgument) + "."
                           : std::string(": each GPU was busy from its first work to its last."));
}

} // namespace

Result<AnalysisRows<GapRow>> gpuGaps(const AnalysisRequest& request, const Progress& progress)
{
    const auto works =
        LOCKSTEP_TRY(deviceWorkInScope(request, idleRuleKinds(request), ruleWindow(request), progress));
    std::vector<GapRow> found;
    const Duration threshold = request.arguments.duration(kGapArgument.name);
    Duration tooShort{0};
    for (const DeviceWork& work : works)
        tooShort = std::max(tooShort, addGaps(request, work, threshold, found));
    const bool isNone = found.empty() && !works.empty();
    auto made = listWorst(request, std::move(found));
    made.source.rows = "gaps between kernels, copies, memsets and whole graphs of a process on a device";
    made.source.rules.insert(
        made.source.rules.begin(),
        {"a gap is a period without work on any stream; idle time before the first and after "
         "the last work does not count",
         "time in which the profiler flushed its buffers counts as work"});
    addCauses(request.workspace, made);
    if (isNone) made.source.whenEmpty = noGapsText(threshold, tooShort);
    return made;
}

Analysis gpuGapsAnalysis()
{
    return {"gpu_gaps", "GPU gaps: long idle periods between the first and last work",
            "kernels, copies or memsets", kGpuGapsArguments, makeTable<gpuGaps, gpuGapsColumns>};
}

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
struct LowUtilizationRow : RuleRow {
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
double addLowUtilization(const AnalysisRequest& request, const DeviceWork& work,
                         std::vector<LowUtilizationRow>& out)
{
    std::vector<TimeRange> ranges;
    for (const DeviceOperation& operation : work.operations)
        ranges.push_back(operation.range);
    if (request.arguments.choice(kUseMode.name) == "union") {
        const IntervalSet busy = IntervalSet::unionOf(std::move(ranges));
        ranges.assign(busy.ranges().begin(), busy.ranges().end());
    }
    const TimeRange extent = work.extent();
    const int64_t chunkCount = request.arguments.whole(kChunks.name);
    const int64_t chunk_ns = (extent.length().ns + chunkCount - 1) / chunkCount;
    const auto chunks = static_cast<size_t>((extent.length().ns + chunk_ns - 1) / chunk_ns);
    const std::vector<int64_t> used = usedByChunk(ranges, extent.begin, chunk_ns, chunks);
    bool isLow = false;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < chunks; ++i) {
        const TraceTime from = extent.begin + Duration{int64_t(i) * chunk_ns};
        const TimeRange range = TimeRange{from, from + Duration{chunk_ns}}.clippedTo(extent);
        const LowUtilizationRow chunk{ruleRow(request, work, range, work.operations.front().slice), used[i]};
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

TableColumns<LowUtilizationRow> gpuTimeUtilColumns(const AnalysisRequest& request)
{
    const bool isUnion = request.arguments.choice(kUseMode.name) == "union";
    TableColumns<LowUtilizationRow> columns = firstRuleColumns<LowUtilizationRow>(request, true);
    columns.add(&LowUtilizationRow::used_permille, {"In-Use", "%", ColumnType::percent, 1,
                                                    isUnion ? "share of Duration during which anything ran"
                                                            : "share of Duration; concurrent work adds up"});
    addRuleTime(columns, "length of the period, after merging adjacent chunks below the threshold");
    addRulePlace(columns);
    addLastRuleColumns(columns, request);
    return columns;
}

Result<AnalysisRows<LowUtilizationRow>> gpuTimeUtil(const AnalysisRequest& request, const Progress& progress)
{
    const auto works =
        LOCKSTEP_TRY(deviceWorkInScope(request, idleRuleKinds(request), ruleWindow(request), progress));
    std::vector<LowUtilizationRow> uses;
    double least = std::numeric_limits<double>::infinity();
    for (const DeviceWork& work : works)
        least = std::min(least, addLowUtilization(request, work, uses));
    for (LowUtilizationRow& use : uses) {
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

// The gpu_time_util analysis: periods of low GPU utilization, as listed by `nsys analyze -r gpu_time_util`.
Analysis gpuTimeUtilAnalysis()
{
    return {"gpu_time_util", "Low GPU utilization periods", "kernels, copies or memsets",
            kGpuTimeUtilArguments, makeTable<gpuTimeUtil, gpuTimeUtilColumns>};
}

} // namespace lockstep
