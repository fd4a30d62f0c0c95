#include "core/trace/workspace.h"

#include <cassert>

namespace lockstep {

ReportId Workspace::add(std::shared_ptr<const Report> report, const Identity& stated, const Identity& planned,
                        std::span<const ProcessStatement> statedProcesses)
{
    m_identities.push_back(
        std::make_shared<ReportIdentity>(identityOf(*report, stated, planned, statedProcesses)));
    m_reports.push_back(std::move(report));
    return ReportId(m_reports.size() - 1);
}

void Workspace::setIdentity(ReportId id, ReportIdentity identity)
{
    assert(identity.processes.size() == report(id).processes.size());
    m_identities[id.value] = std::make_shared<ReportIdentity>(std::move(identity));
}

} // namespace lockstep
