// Workspace: the reports viewed together, in the order they were opened. A value: copies share the frozen reports.
// How their clocks relate is an Alignment (core/align), kept beside it.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/report.h"

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
    void add(std::shared_ptr<const Report> report) { m_reports.push_back(std::move(report)); }
    size_t size() const { return m_reports.size(); }
    bool isEmpty() const { return m_reports.empty(); }
    const Report& report(ReportId id) const { return *m_reports[id.value]; }
    const std::vector<std::shared_ptr<const Report>>& reports() const { return m_reports; }

  private:
    std::vector<std::shared_ptr<const Report>> m_reports;
};

} // namespace lockstep
