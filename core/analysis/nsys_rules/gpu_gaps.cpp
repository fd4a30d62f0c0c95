// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/gpu_gaps.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_rules/profiler_flushes.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

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

} // namespace lockstep
