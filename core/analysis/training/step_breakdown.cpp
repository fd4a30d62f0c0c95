// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_breakdown.h"

#include <set>

#include "core/analysis/summary.h"
#include "core/analysis/training/step_columns.h"

namespace lockstep {

namespace {

constexpr std::string_view kStepTitle = "Training steps: phases, device work and bubbles";
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

class StepRowColumns {
  public:
    StepRowColumns(const AnalysisRequest& request, Table& table) : m_by(request.scope.by), m_table(table)
    {
        table.headerStyle = HeaderStyle::identifier;
        addGroupColumn(table, m_by);
        if (m_by != GroupBy::step)
            m_step = addStepCount(table, "step", "step number, by the rule in step_from; empty if unknown");
        m_from = text("step_from", "rule that defines the step; numbers of different rules are never joined");
        m_members = addStepCount(table, "members",
                                 "ranks of the roles that have the step, or processes if ranks are unknown");
        m_missing = addStepCount(table, "missing",
                                 "members with other steps of this group and kind that lack this step");
        m_parts = addStepCount(table, "parts",
                               "number of processes in the sums, counted once per report: several per rank "
                               "if each stage has its own report");
        m_span = addStepTime(table, "span",
                             "first start to last end over the parts, on the aligned axis, subject to "
                             "clock error; empty if one of several reports could not be aligned");
        m_times.emplace(table);
        m_phases = text("phases_from", "names of the ranges of each phase");
    }

    void add(const StepRowKey& key, const StepRowParts& row, size_t allMembers)
    {
        m_table.addRow(row.longest);
        setGroup(m_table, m_by, key.group);
        if (m_by != GroupBy::step && key.naming != StepNaming::unknown) m_table.setNumber(m_step, key.number);
        m_table.setText(m_from, joinedWords(row.rules, "; "));
        m_table.setNumber(m_members, static_cast<int64_t>(row.members.size()));
        m_table.setNumber(m_missing, static_cast<int64_t>(allMembers - row.members.size()));
        m_table.setNumber(m_parts, row.parts);
        if (row.isPlaced || row.parts == 1) m_table.setNumber(m_span, row.span.length().ns);
        m_times->set(m_table, row.times);
        m_table.setText(m_phases, phaseNamesText(row));
    }

  private:
    size_t text(const char* name, const char* doc)
    {
        return m_table.addColumn({name, "", ColumnType::text, 0, doc});
    }

    GroupBy m_by;
    Table& m_table;
    size_t m_step = 0, m_from = 0, m_members = 0, m_missing = 0, m_parts = 0, m_span = 0, m_phases = 0;
    std::optional<StepColumns> m_times;
};

Result<Table> stepRows(const AnalysisRequest& request, const Progress& progress)
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
    Table table{std::string(request.what), std::string(kStepTitle)};
    StepRowColumns columns(request, table);
    for (const auto& [key, row] : rows)
        columns.add(key, row, members[{isByStep ? GroupKey() : key.group, key.naming}].size());
    describeSteps(request, steps, table);
    return table;
}

} // namespace

Analysis stepBreakdownAnalysis()
{
    return {"step_breakdown", kStepTitle, "training steps", kStepArguments, stepRows};
}

} // namespace lockstep
