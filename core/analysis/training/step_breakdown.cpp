// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_breakdown.h"

#include <set>
#include <tuple>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"
#include "core/analysis/training/step_columns.h"
#include "core/scene/role_work.h"

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
              "clock error; empty if one of several reports could not be aligned")
        .means(ColumnMeaning::alignedDuration);
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
    return withCharts({"step_breakdown", "Training steps: phases, device work and bubbles", "training steps",
                       kStepArguments, makeTable<stepBreakdown, stepColumns>},
                      {{ChartKind::bars, {"step"}, {"span"}}});
}

namespace {

constexpr std::array kRoleArguments{kStepsArgument};

std::vector<TimeRange> onAxis(const ClockMap& map, const IntervalSet& set)
{
    std::vector<TimeRange> out;
    for (const TimeRange& range : set.ranges())
        out.push_back(map.alignedFromTrace(range));
    return out;
}

std::string roleOf(const AnalysisRequest& request, const ProcessTrace& trace)
{
    return request.workspace.identity(trace.report, trace.process).role.value.value_or("");
}

// Returns the only device used by the process. If there are several, it is unknown which one was active.
std::string deviceOf(const AnalysisRequest& request, const ProcessTrace& trace)
{
    if (trace.devices.size() != 1) return {};
    return machineDevice(request.workspace, trace.report, trace.process, trace.devices.front());
}

// Collects the work of aligned reports.
RoleWork workOf(const AnalysisRequest& request, const StepParts& steps)
{
    RoleWork work;
    for (const ProcessTrace& trace : steps.traces) {
        const ClockMap& map = request.alignment.map(trace.report);
        if (trace.hasDevice && map.isPlaced())
            work.add(roleOf(request, trace), deviceOf(request, trace), onAxis(map, trace.busy));
    }
    work.close();
    return work;
}

struct RoleRow {
    GroupKey group;
    std::string role;
    SliceRef longest; // never set
    StepTimes times;
    int64_t parts = 0, compared = 0, unplaced = 0, unknownDevices = 0;
    int64_t whileOthersBusy_ns = 0, sameDevice_ns = 0;
    std::set<std::pair<StepNaming, int64_t>> steps;
    std::set<std::string> members;
    bool hasIdle = false; // idle time was compared with the work of other roles

    int64_t bubble_ns() const { return whileOthersBusy_ns - sameDevice_ns; }
};

void addIdle(const AnalysisRequest& request, const RoleWork& work, const ProcessTrace& trace,
             std::span<const StepPart* const> parts, RoleRow& row)
{
    const ClockMap& map = request.alignment.map(trace.report);
    if (!map.isPlaced()) {
        row.unplaced += static_cast<int64_t>(parts.size());
        return;
    }
    const IntervalSet busy = IntervalSet::unionOf(onAxis(map, trace.busy));
    const RoleWork::Idle idle = work.idleOf(roleOf(request, trace), deviceOf(request, trace), busy);
    const IntervalSet shared = idle.onSameDevice.value_or(IntervalSet());
    row.unknownDevices += idle.onSameDevice ? 0 : static_cast<int64_t>(parts.size());
    for (const StepPart* const part : parts) {
        const TimeRange step = map.alignedFromTrace(part->range);
        row.whileOthersBusy_ns += idle.whileOthersBusy.lengthWithin(step).ns;
        row.sameDevice_ns += shared.lengthWithin(step).ns;
        ++row.compared;
    }
}

using RoleRows = std::map<std::pair<GroupKey, std::string>, RoleRow>;

RoleRows roleRowsOf(const AnalysisRequest& request, const StepParts& steps, const RoleWork& work)
{
    RoleRows rows;
    for (size_t first = 0; first < steps.parts.size();) {
        const ProcessTrace& trace = steps.traceOf(steps.parts[first]);
        std::map<GroupKey, std::vector<const StepPart*>> byGroup;
        for (; first < steps.parts.size() && &steps.traceOf(steps.parts[first]) == &trace; ++first) {
            const StepPart& part = steps.parts[first];
            byGroup[stepGroupOf(request, trace, part)].push_back(&part);
        }
        for (const auto& [group, parts] : byGroup) {
            RoleRow& row = rows[{group, roleOf(request, trace)}];
            for (const StepPart* const part : parts) {
                row.times.add(part->times);
                row.steps.emplace(part->naming, part->number);
            }
            row.parts += static_cast<int64_t>(parts.size());
            row.members.insert(stepMemberOf(request, trace.report, trace.process));
            if (trace.hasDevice) addIdle(request, work, trace, parts, row);
        }
    }
    return rows;
}

TableColumns<RoleRow> roleColumns(const AnalysisRequest& request)
{
    const GroupBy by = request.scope.by;
    TableColumns<RoleRow> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::role)
        columns.text(&RoleRow::role, "role", "role in the job; empty if no file records it");
    const auto ofIdle = [](auto value) {
        return [value](const RoleRow& row) {
            return row.hasIdle ? std::optional(std::invoke(value, row)) : std::nullopt;
        };
    };
    columns.count([](const RoleRow& row) { return row.steps.size(); }, "steps", "number of distinct steps")
        .count([](const RoleRow& row) { return row.members.size(); }, "members",
               "ranks of the role, or processes if ranks are unknown")
        .count(&RoleRow::parts, "parts", "number of step parts: steps times processes")
        .time(ofIdle(&RoleRow::whileOthersBusy_ns), "idle_while_others",
              "part of bubble during which another role's devices worked, on the aligned "
              "axis; empty if no other role has device work, or no clock is aligned")
        .means(ColumnMeaning::alignedDuration)
        .time(
            [](const RoleRow& row) {
                const bool isKnown = row.hasIdle && row.unknownDevices < row.compared;
                return isKnown ? std::optional(row.sameDevice_ns) : std::nullopt;
            },
            "on_same_device",
            "part of idle_while_others during which that work ran on the same device (host and "
            "UUID), which was busy then; empty if no file identifies the devices")
        .time(
            ofIdle(&RoleRow::bubble_ns), "role_bubble",
            "idle_while_others minus on_same_device: the role's devices were idle while another role worked")
        .add(ofIdle([](const RoleRow& row) {
                 return roundedQuotient(__int128(row.bubble_ns()) * 10'000, row.times.deviceWall_ns);
             }),
             {"role_bubble_pctg", "", ColumnType::percent, 2, "role_bubble as a share of device_wall"});
    addStepTimes(columns);
    return columns;
}

Result<AnalysisRows<RoleRow>> roleBreakdown(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const RoleWork work = workOf(request, steps);
    LOCKSTEP_TRY(progress.check());
    RoleRows rows = roleRowsOf(request, steps, work);
    LOCKSTEP_TRY(progress.check());
    AnalysisRows<RoleRow> made;
    int64_t unplaced = 0, unknownDevices = 0;
    for (auto& [key, row] : rows) {
        std::tie(row.group, row.role) = key;
        row.hasIdle = row.times.hasDevice && row.compared > 0 && work.hasOthers(row.role);
        unplaced += row.unplaced;
        unknownDevices += row.unknownDevices;
        made.rows.push_back(std::move(row));
    }
    describeSteps(request, steps, made.source);
    if (unplaced > 0) {
        made.source.rules.push_back(std::to_string(unplaced) +
                                    " parts belong to reports that could not be aligned: their "
                                    "idle time is not compared with other roles' work");
    }
    if (unknownDevices > 0) {
        made.source.rules.push_back("for " + std::to_string(unknownDevices) +
                                    " parts, no file records the device's UUID, or they use several "
                                    "devices: another role's work counts as work on another device");
    }
    return made;
}

} // namespace

// The `role_breakdown` analysis: how the processes of each role spent their steps, and how long their devices
// were idle while another role was working.
Analysis roleBreakdownAnalysis()
{
    return withCharts({"role_breakdown", "Step breakdown by role", "training steps", kRoleArguments,
                       makeTable<roleBreakdown, roleColumns>},
                      {{ChartKind::bars, {"role"}, {"role_bubble"}}});
}

} // namespace lockstep
