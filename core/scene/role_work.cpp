// SPDX-License-Identifier: Apache-2.0
#include "core/scene/role_work.h"

namespace lockstep {

namespace {

IntervalSet uniteAllBut(const std::map<std::string, std::vector<TimeRange>>& byRole, const std::string& but)
{
    std::vector<TimeRange> all;
    for (const auto& [role, ranges] : byRole) {
        if (role != but) all.insert(all.end(), ranges.begin(), ranges.end());
    }
    return IntervalSet::unionOf(std::move(all));
}

} // namespace

std::string machineDevice(const Workspace& workspace, ReportKey key, ProcessId process, DeviceId device)
{
    const Report& report = workspace.report(key);
    const Identity& identity = workspace.identity(key, process);
    if (!device.isValid() || !identity.host.isKnown()) return {};
    const std::string_view uuid = report.strings.at(report.devices[device.value].uuid);
    return uuid.empty() ? std::string() : *identity.host.value + " " + std::string(uuid);
}

void RoleWork::add(const std::string& role, const std::string& device, std::span<const TimeRange> busy)
{
    auto& all = m_byRole[role];
    all.insert(all.end(), busy.begin(), busy.end());
    if (device.empty()) return;
    auto& own = m_byDevice[device][role];
    own.insert(own.end(), busy.begin(), busy.end());
}

void RoleWork::close()
{
    for (const auto& [role, ranges] : m_byRole)
        m_others[role] = uniteAllBut(m_byRole, role);
}

RoleWork::Idle RoleWork::idleOf(const std::string& role, const std::string& device,
                                const IntervalSet& busy) const
{
    Idle idle;
    idle.whileOthersBusy = m_others.at(role).without(busy);
    const auto found = device.empty() ? m_byDevice.end() : m_byDevice.find(device);
    if (found != m_byDevice.end()) idle.onSameDevice = uniteAllBut(found->second, role).without(busy);
    return idle;
}

} // namespace lockstep
