// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/gpu_gaps.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/empty_table.h"
#include "core/analysis/gap_cause.h"
#include "core/analysis/nsys_rules/profiler_flushes.h"
#include "core/analysis/nsys_rules/rule_table.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kGpuGapsTitle = "GPU gaps: long idle periods between the first and last work";
constexpr AnalysisArgument kGapArgument{
    "gap",      "gaps longer than this are listed", ArgumentType::duration, "500", "ms", 0, 4.6e18, {},
    "threshold"};
constexpr std::array kGpuGapsArguments{kGapArgument, kRowsArgument, kStartArgument,
                                       kEndArgument, kNvtxArgument, kNoGraphsArgument};

// Returns the longest of the gaps that are too short to be listed.
Duration addGaps(const DeviceWork& work, std::vector<TimeRange> flushes, Duration longest,
                 std::vector<RuleFinding>& out, std::vector<const DeviceWork*>& whose)
{
    Duration tooShort{0};
    const IntervalSet busy = work.busy();
    const TimeRange extent = busy.extent();
    std::ranges::copy(busy.ranges(), std::back_inserter(flushes));
    const IntervalSet gaps = IntervalSet::unionOf(std::move(flushes)).gaps();
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
        out.push_back(
            {work.group, -gap.length().ns, work.report, gap.clippedTo(extent), next.slice, whose.size()});
        whose.push_back(&work);
    }
    return tooShort;
}

TableColumn causeColumn()
{
    return {"Cause", "", ColumnType::text, 0,
            "host late to launch, synchronization or copy: the work after the gap was launched after the gap "
            "had begun, and this took the longest part of the time until the launch (synchronization and "
            "copies: calls of the launching thread); copy: also if the work was launched before the gap, and "
            "its call or copies on the GPU took at least half of the gap; kernel wait: launched before a gap "
            "shorter than 30 us; other: launched before a longer gap; empty: no launch call is recorded "
            "for the work after the gap"};
}

// GapCauseCells sets the cells and notes of the listed gaps, and counts the gaps without a cause.
class GapCauseCells {
  public:
    explicit GapCauseCells(const Workspace& workspace) : m_workspace(workspace) {}

    void set(Table& table, size_t column, const RuleFinding& gap)
    {
        const Report& report = m_workspace.report(gap.report);
        GapCauses& causes = m_causes.try_emplace(gap.report, report).first->second;
        const ExplainedGap explained = causes.of(gap.range, gap.slice);
        table.setText(column, gapCauseName(explained.cause));
        if (m_gaps++ < kMaxNotes) table.setNote(explained.note);
        m_unknown += explained.cause == GapCause::unknown;
    }

    void addRules(std::vector<std::string>& rules) const
    {
        rules.push_back("Cause is decided as in idle_breakdown, and refined by the calls of the launching "
                        "thread");
        if (m_unknown == 0) return;
        rules.push_back(std::to_string(m_unknown) + " of " + std::to_string(m_gaps) +
                        " gaps have no cause: no launch call is recorded for the work after them");
    }

  private:
    static constexpr size_t kMaxNotes = 100'000; // about 15 MB; further rows only have a cause

    const Workspace& m_workspace;
    std::map<ReportKey, GapCauses> m_causes;
    size_t m_gaps = 0, m_unknown = 0; // among the listed gaps
};

std::string noGapsText(Duration threshold, Duration longest)
{
    return "No gap is longer than " + durationText(threshold) +
           (longest.ns > 0 ? " (the longest is " + durationText(longest) + "). Lower the threshold " +
                                 optionText(kGapArgument) + "."
                           : std::string(": each GPU was busy from its first work to its last."));
}

Result<Table> gpuGapsRows(const AnalysisRequest& request, const Progress& progress)
{
    const RuleTable rule(request);
    const auto works =
        LOCKSTEP_TRY(deviceWorkInScope(request, idleRuleKinds(request), rule.window(), progress));
    std::vector<RuleFinding> findings;
    std::vector<const DeviceWork*> whose;
    const Duration threshold = request.arguments.duration(kGapArgument.name);
    Duration tooShort{0};
    for (const DeviceWork& work : works)
        tooShort =
            std::max(tooShort, addGaps(work, profilerFlushes(request, work), threshold, findings, whose));
    const bool isNone = findings.empty() && !works.empty();
    GapCauseCells causes(request.workspace);
    Table table = rule.make(kGpuGapsTitle, true,
                            {ruleDuration("how long the device was idle"), ruleStart(), rulePid(),
                             ruleDevice(), ruleContext(), causeColumn()},
                            std::move(findings), [&](Table& out, size_t first, const RuleFinding& finding) {
                                const DeviceWork& work = *whose[finding.row];
                                const Report& report = request.workspace.report(work.report);
                                out.setRange(finding.range);
                                out.setNumber(first, finding.range.length().ns);
                                out.setNumber(first + 1, finding.range.begin.ns);
                                if (work.process.isValid())
                                    out.setNumber(first + 2, report.processes[work.process.value].pid);
                                if (const auto ordinal = ordinalOf(report, work.device))
                                    out.setNumber(first + 3, *ordinal);
                                if (work.operations.front().context != 0)
                                    out.setNumber(first + 4, work.operations.front().context);
                                causes.set(out, first + 5, finding);
                            });
    table.source.rows = "gaps between kernels, copies, memsets and whole graphs of a process on a device";
    table.source.rules.insert(
        table.source.rules.begin(),
        {"a gap is a period without work on any stream; idle time before the first and after "
         "the last work does not count",
         "time in which the profiler flushed its buffers counts as work"});
    causes.addRules(table.source.rules);
    if (isNone) table.source.whenEmpty = noGapsText(threshold, tooShort);
    return table;
}

} // namespace

Analysis gpuGapsAnalysis()
{
    return {"gpu_gaps", kGpuGapsTitle, "kernels, copies or memsets", kGpuGapsArguments, gpuGapsRows};
}

} // namespace lockstep
