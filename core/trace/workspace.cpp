// SPDX-License-Identifier: Apache-2.0
#include "core/trace/workspace.h"

#include <algorithm>
#include <cassert>

namespace lockstep {

ReportKey Workspace::add(std::shared_ptr<const Report> report, const Identity& stated,
                         const Identity& planned, std::span<const ProcessEdit> processEdits)
{
    auto identity =
        std::make_shared<const ReportIdentity>(identityOf(*report, stated, planned, processEdits));
    const ReportKey key(m_slots.slotCount());
    add(key, std::move(report), std::move(identity));
    return key;
}

void Workspace::add(ReportKey key, std::shared_ptr<const Report> report,
                    std::shared_ptr<const ReportIdentity> identity)
{
    assert(!has(key) && identity->processes.size() == report->processes.size());
    m_slots.set(key, {std::move(report), std::move(identity)});
    m_keys.push_back(key);
}

bool Workspace::hasSameReports(const Workspace& other) const
{
    return m_keys == other.m_keys &&
           std::ranges::all_of(m_keys, [&](ReportKey key) { return shared(key) == other.shared(key); });
}

void Workspace::setIdentity(ReportKey key, ReportIdentity identity)
{
    assert(identity.processes.size() == report(key).processes.size());
    m_slots[key].identity = std::make_shared<ReportIdentity>(std::move(identity));
}

} // namespace lockstep
