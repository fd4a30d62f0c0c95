// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_breakdown.h"

#include <set>

#include "core/analysis/training/step_columns.h"

namespace lockstep {

namespace {

constexpr std::array kStepArguments{kStepsArgument};

// Owner and step number of the steps in one row.
struct StepRowKey {
    GroupKey group;
    StepNaming naming;
    int64_t number;

    friend auto operator<=>(const StepRowKey&, const StepRowKey&) = default;
};

struct StepRowParts {
    StepTimes times;
    int64_t parts = 0;
    std::set<std::string> members, rules;
    std::map<RlPhase, std::set<std::string>> phaseNames;
    TimeRange span; // aligned
    bool isPlaced = true;
    SliceRef longest;
    int64_t longest_ns = -1;
};

void addPart(const AnalysisRequest& request, const ProcessTrace& trace, const StepPart& part,
             StepRowParts& row)
{
    row.times.add(part.times);
    ++row.parts;
    row.members.insert(stepMemberOf(request, trace.report, trace.process));
    row.rules.insert(part.from);
    for (const auto& [phase, counts] : trace.phaseNames) {
        if (!part.times.phase_ns[static_cast<size_t>(phase)]) continue;
        for (const auto& [name, count] : counts)
            row.phaseNames[phase].insert(name);
    }
    const ClockMap& map = request.alignment.map(trace.report);
    row.isPlaced &= map.isPlaced();
    row.span = row.span.unitedWith(map.alignedFromTrace(part.range));
    if (part.mark.isValid() && part.times.wall_ns > row.longest_ns) {
        row.longest_ns = part.times.wall_ns;
        row.longest = {trace.report, part.mark};
    }
}

std::string joinedWords(const std::set<std::string>& words, std::string_view between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : std::string(between)) + word;
    return text;
}

std::string phaseNamesText(const StepRowParts& row)
{
    std::string text;
    for (const auto& [phase, names] : row.phaseNames)
        text +=
            (text.empty() ? "" : "; ") + std::string(rlPhaseName(phase)) + ": " + joinedWords(names, ", ");
    return text;
}

TableColumns<StepRow> stepColumns(const AnalysisRequest& request)
{
    const GroupBy by = request.scope.by;
    TableColumns<StepRow> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::step)
        columns.count(&StepRow::step, "step", "step number, by the rule in step_from; empty if unknown");
    columns
        .text(&StepRow::from, "step_from",
              "rule that defines the step; numbers of different rules are never joined")
        .count(&StepRow::members, "members",
               "ranks of the roles that have the step, or processes if ranks are unknown")
        .count(&StepRow::missing, "missing",
               "members with other steps of this group and kind that lack this step")
        .count(&StepRow::parts, "parts",
               "number of processes in the sums, counted once per report: several per rank "
               "if each stage has its own report")
        .time(&StepRow::span_ns, "span",
              "first start to last end over the parts, on the aligned axis, subject to "
              "clock error; empty if one of several reports could not be aligned");
    addStepTimes(columns);
    columns.text(&StepRow::phaseNames, "phases_from", "names of the ranges of each phase");
    return columns;
}

StepRow stepRow(const StepRowKey& key, const StepRowParts& parts, size_t allMembers)
{
    StepRow row;
    row.group = key.group;
    row.longest = parts.longest;
    if (key.naming != StepNaming::unknown) row.step = key.number;
    row.from = joinedWords(parts.rules, "; ");
    row.members = static_cast<int64_t>(parts.members.size());
    row.missing = static_cast<int64_t>(allMembers - parts.members.size());
    row.parts = parts.parts;
    if (parts.isPlaced || parts.parts == 1) row.span_ns = parts.span.length().ns;
    row.times = parts.times;
    row.phaseNames = phaseNamesText(parts);
    return row;
}

} // namespace

Result<AnalysisRows<StepRow>> stepBreakdown(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    std::map<StepRowKey, StepRowParts> rows;
    std::map<std::pair<GroupKey, StepNaming>, std::set<std::string>> members;
    const bool isByStep = request.scope.by == GroupBy::step;
    for (const StepPart& part : steps.parts) {
        const ProcessTrace& trace = steps.traceOf(part);
        const GroupKey group = stepGroupOf(request, trace, part);
        addPart(request, trace, part, rows[{group, part.naming, part.number}]);
        members[{isByStep ? GroupKey() : group, part.naming}].insert(
            stepMemberOf(request, trace.report, trace.process));
    }
    LOCKSTEP_TRY(progress.check());
    AnalysisRows<StepRow> made;
    for (const auto& [key, row] : rows)
        made.rows.push_back(
            stepRow(key, row, members[{isByStep ? GroupKey() : key.group, key.naming}].size()));
    describeSteps(request, steps, made.source);
    return made;
}

Analysis stepBreakdownAnalysis()
{
    return {"step_breakdown", "Training steps: phases, device work and bubbles", "training steps",
            kStepArguments, makeTable<stepBreakdown, stepColumns>};
}

} // namespace lockstep
