// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/role_breakdown.h"

#include <set>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/step_columns.h"
#include "core/scene/role_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kRoleTitle = "Step breakdown by role";
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
    StepTimes times;
    int64_t parts = 0, compared = 0, unplaced = 0, unknownDevices = 0;
    int64_t whileOthersBusy_ns = 0, sameDevice_ns = 0;
    std::set<std::pair<StepNaming, int64_t>> steps;
    std::set<std::string> members;
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

class RoleColumns {
  public:
    RoleColumns(const AnalysisRequest& request, Table& table) : m_by(request.scope.by), m_table(table)
    {
        table.headerStyle = HeaderStyle::identifier;
        addGroupColumn(table, m_by);
        if (m_by != GroupBy::role) {
            m_role = table.addColumn(
                {"role", "", ColumnType::text, 0, "role in the job; empty if no file records it"});
        }
        m_steps = addStepCount(table, "steps", "number of distinct steps");
        m_members = addStepCount(table, "members", "ranks of the role, or processes if ranks are unknown");
        m_parts = addStepCount(table, "parts", "number of step parts: steps times processes");
        m_whileOthers =
            addStepTime(table, "idle_while_others",
                        "part of bubble during which another role's devices worked, on the aligned "
                        "axis; empty if no other role has device work, or no clock is aligned");
        m_sameDevice =
            addStepTime(table, "on_same_device",
                        "part of idle_while_others during which that work ran on the same device (host and "
                        "UUID), which was busy then; empty if no file identifies the devices");
        m_bubble = addStepTime(
            table, "role_bubble",
            "idle_while_others minus on_same_device: the role's devices were idle while another role worked");
        m_share = table.addColumn(
            {"role_bubble_pctg", "", ColumnType::percent, 2, "role_bubble as a share of device_wall"});
        m_times.emplace(table);
    }

    void add(const GroupKey& group, const std::string& role, const RoleRow& row, bool hasOthers)
    {
        m_table.addRow();
        setGroup(m_table, m_by, group);
        if (m_by != GroupBy::role) m_table.setText(m_role, role);
        m_table.setNumber(m_steps, static_cast<int64_t>(row.steps.size()));
        m_table.setNumber(m_members, static_cast<int64_t>(row.members.size()));
        m_table.setNumber(m_parts, row.parts);
        if (hasOthers && row.compared > 0) {
            const int64_t bubble_ns = row.whileOthersBusy_ns - row.sameDevice_ns;
            m_table.setNumber(m_whileOthers, row.whileOthersBusy_ns);
            if (row.unknownDevices < row.compared) m_table.setNumber(m_sameDevice, row.sameDevice_ns);
            m_table.setNumber(m_bubble, bubble_ns);
            m_table.setNumber(m_share,
                              roundedQuotient(__int128(bubble_ns) * 10'000, row.times.deviceWall_ns));
        }
        m_times->set(m_table, row.times);
    }

  private:
    GroupBy m_by;
    Table& m_table;
    size_t m_role = 0, m_steps = 0, m_members = 0, m_parts = 0;
    size_t m_whileOthers = 0, m_sameDevice = 0, m_bubble = 0, m_share = 0;
    std::optional<StepColumns> m_times;
};

Result<Table> roleTable(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const RoleWork work = workOf(request, steps);
    LOCKSTEP_TRY(progress.check());
    const RoleRows rows = roleRowsOf(request, steps, work);
    LOCKSTEP_TRY(progress.check());
    Table table{std::string(request.what), std::string(kRoleTitle)};
    RoleColumns columns(request, table);
    int64_t unplaced = 0, unknownDevices = 0;
    for (const auto& [key, row] : rows) {
        columns.add(key.first, key.second, row,
                    row.times.hasDevice && row.compared > 0 && work.hasOthers(key.second));
        unplaced += row.unplaced;
        unknownDevices += row.unknownDevices;
    }
    describeSteps(request, steps, table);
    if (unplaced > 0) {
        table.source.rules.push_back(std::to_string(unplaced) +
                                     " parts belong to reports that could not be aligned: their "
                                     "idle time is not compared with other roles' work");
    }
    if (unknownDevices > 0) {
        table.source.rules.push_back("for " + std::to_string(unknownDevices) +
                                     " parts, no file records the device's UUID, or they use several "
                                     "devices: another role's work counts as work on another device");
    }
    return table;
}

} // namespace

Analysis roleBreakdownAnalysis()
{
    return {"role_breakdown", kRoleTitle, "training steps", kRoleArguments, roleTable};
}

} // namespace lockstep
