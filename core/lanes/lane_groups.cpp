// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_groups.h"

#include <map>
#include <set>

namespace lockstep {

namespace {

std::string joined(const std::set<std::string>& values)
{
    std::string all;
    for (const std::string& value : values)
        all += (all.empty() ? "" : ", ") + value;
    return all;
}

std::string groupNameOfMember(const Workspace& workspace, const ShownMember& member, LaneGrouping grouping)
{
    const Identity& identity = workspace.identity(member.report, member.process);
    if (grouping == LaneGrouping::step)
        return identity.step.isKnown() ? "step " + std::to_string(*identity.step.value) : std::string();
    return identity.tool.value.value_or("");
}

// Splits a process into one process for each distinct group name of its members.
void part(const Workspace& workspace, ShownProcess process, LaneGrouping grouping,
          std::vector<ShownProcess>& out)
{
    std::map<std::string, std::vector<ShownMember>> byName;
    for (const ShownMember& member : process.members)
        byName[groupNameOfMember(workspace, member, grouping)].push_back(member);
    const bool isSplit = byName.size() > 1;
    for (auto& [word, members] : byName) {
        ShownProcess& one = out.emplace_back();
        one.isProcess = process.isProcess;
        one.group = word;
        one.known = process.known;
        if (isSplit) {
            Identity known = *process.known;
            const Identity& own = workspace.identity(members.front().report, members.front().process);
            if (grouping == LaneGrouping::step) known.step = own.step;
            if (grouping == LaneGrouping::tool) known.tool = own.tool;
            one.known = std::make_shared<const Identity>(std::move(known));
            one.part = " " + std::string(groupKeyPrefix(grouping)) + "=" + word;
        }
        one.members = std::move(members);
    }
}

// An ordinal identifies a GPU only if the machine assigned the ordinal. With CUDA_VISIBLE_DEVICES, every
// process on a node may use GPU 0 for its own GPU.
std::string deviceLabel(const Report& report, const Device& device)
{
    const std::string_view uuid = report.strings.at(device.uuid);
    if (!uuid.empty()) return std::string(uuid.starts_with("GPU-") ? uuid.substr(0, 12) : uuid);
    const std::string number = "GPU " + std::to_string(device.ordinal);
    return device.process.isValid() ? number + " (process-local number)" : number;
}

// Returns the GPUs that have rows: "node0 · GPU 0".
std::string gpusOf(const Workspace& workspace, const ShownProcess& process)
{
    std::set<std::string> gpus;
    for (const ShownMember& member : process.members) {
        const Report& report = workspace.report(member.report);
        for (const Track& track : report.tracks) {
            if (track.key.process != member.process || !track.key.device.isValid()) continue;
            gpus.insert(deviceLabel(report, report.devices[track.key.device.value]));
        }
    }
    const std::string host = process.identity().host.value.value_or("");
    return gpus.empty() || host.empty() ? joined(gpus) : host + " \u00B7 " + joined(gpus);
}

std::string communicatorsOf(const Workspace& workspace, const ShownProcess& process)
{
    std::set<std::string> names;
    for (const ShownMember& member : process.members) {
        const Report& report = workspace.report(member.report);
        const bool isOnly = report.processes.size() == 1;
        for (const CollectiveOp& op : report.collectives) {
            const std::string_view name = report.strings.at(op.group);
            if (name.empty() || names.contains(std::string(name))) continue;
            if (isOnly || report.track(report.trackOf(op.slice)).key.process == member.process)
                names.emplace(name);
        }
    }
    return names.empty() ? "" : "communicator " + joined(names);
}

} // namespace

bool groupsByName(LaneGrouping grouping)
{
    return grouping >= LaneGrouping::step;
}

std::string_view groupKeyPrefix(LaneGrouping grouping)
{
    return kLaneGroupingNames[static_cast<size_t>(grouping)];
}

std::string namelessGroup(LaneGrouping grouping)
{
    return "no " + std::string(groupKeyPrefix(grouping));
}

std::vector<ShownProcess> assignGroups(const Workspace& workspace, std::vector<ShownProcess> processes,
                                       LaneGrouping grouping)
{
    if (!groupsByName(grouping)) return processes;
    if (grouping == LaneGrouping::step || grouping == LaneGrouping::tool) {
        std::vector<ShownProcess> parts;
        for (ShownProcess& process : processes)
            part(workspace, std::move(process), grouping, parts);
        return parts;
    }
    for (ShownProcess& process : processes) {
        if (grouping == LaneGrouping::gpu) process.group = gpusOf(workspace, process);
        if (grouping == LaneGrouping::communicator) process.group = communicatorsOf(workspace, process);
        if (grouping == LaneGrouping::rank && process.isProcess && process.identity().rank.isKnown())
            process.group = "rank " + std::to_string(*process.identity().rank.value);
    }
    return processes;
}

} // namespace lockstep
