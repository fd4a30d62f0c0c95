// Workspace: the reports viewed together, in the order they were opened, and whose each of them is. A value:
// copies share the frozen reports. How their clocks relate is an Alignment (core/align), kept beside it.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/report.h"
#include "core/trace/report_identity.h"

namespace lockstep {

// A slice of one report of a workspace.
struct SliceRef {
    ReportId report;
    SliceId slice;

    bool isValid() const { return report.isValid() && slice.isValid(); }
    friend auto operator<=>(const SliceRef&, const SliceRef&) = default;
};

struct TrackRef {
    ReportId report;
    TrackId track;

    friend auto operator<=>(const TrackRef&, const TrackRef&) = default;
};

class Workspace {
  public:
    // stated, planned, statedProcesses: see ReportIdentity.
    ReportId add(std::shared_ptr<const Report> report, const Identity& stated = {},
                 const Identity& planned = {}, std::span<const ProcessStatement> statedProcesses = {});
    size_t size() const { return m_reports.size(); }
    bool isEmpty() const { return m_reports.empty(); }
    const Report& report(ReportId id) const { return *m_reports[id.value]; }
    const std::vector<std::shared_ptr<const Report>>& reports() const { return m_reports; }

    // Whose a report, or one of its processes, is: what it says itself and what was stated, and what
    // settleIdentities() learnt from the other reports. An invalid process stands for the report.
    const Identity& identity(ReportId id) const { return m_identities[id.value]->whole; }
    const Identity& identity(ReportId id, ProcessId process) const
    {
        const ReportIdentity& all = *m_identities[id.value];
        return process.isValid() ? all.processes[process.value] : all.whole;
    }
    const ReportIdentity& reportIdentity(ReportId id) const { return *m_identities[id.value]; }
    // processes: one per process of the report.
    void setIdentity(ReportId id, ReportIdentity identity);

  private:
    std::vector<std::shared_ptr<const Report>> m_reports;
    std::vector<std::shared_ptr<const ReportIdentity>> m_identities; // by report
};

} // namespace lockstep
