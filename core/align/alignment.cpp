#include "core/align/alignment.h"

#include <algorithm>

namespace lockstep {

namespace {

TraceTime startOf(const Report& report)
{
    return report.session.isEmpty() ? report.extent.begin : report.session.begin;
}

ClockMap mapToZero(const Report& report, AlignMethod method, std::string reason)
{
    ClockMap map;
    map.offset_ns = -startOf(report).ns;
    map.method = method;
    map.reason = std::move(reason);
    return map;
}

ClockMap mapByWallClock(const Report& report, int64_t utcAtZero_ns)
{
    ClockMap map;
    map.offset_ns = *report.clock.utcAtZero_ns - utcAtZero_ns;
    map.method = AlignMethod::wallclock;
    map.reason = report.clock.utcSource + "; clocks of different hosts may disagree by milliseconds or more";
    return map;
}

} // namespace

TimeRange Alignment::extent(const Workspace& workspace) const
{
    TimeRange all;
    bool any = false;
    for (size_t i = 0; i < workspace.size(); ++i) {
        const Report& report = workspace.report(ReportId(i));
        if (report.slices.size() == 0 && report.counters.size() == 0) continue;
        const TimeRange range = maps[i].alignedFromTrace(report.extent);
        all = any ? TimeRange{std::min(all.begin, range.begin), std::max(all.end, range.end)} : range;
        any = true;
    }
    return all;
}

Alignment alignReports(const Workspace& workspace, const AlignOptions& options)
{
    Alignment alignment;
    if (options.mode != AlignMode::zero) {
        for (const auto& report : workspace.reports()) {
            if (!report->clock.utcAtZero_ns) continue;
            const int64_t start_ns = *report->clock.utcAtZero_ns + startOf(*report).ns;
            alignment.utcAtZero_ns = std::min(alignment.utcAtZero_ns.value_or(start_ns), start_ns);
        }
    }
    for (const auto& report : workspace.reports()) {
        if (options.mode == AlignMode::zero) {
            alignment.maps.push_back(mapToZero(*report, AlignMethod::zero, "every report starts at zero, as asked"));
        } else if (report->clock.utcAtZero_ns) {
            alignment.maps.push_back(mapByWallClock(*report, *alignment.utcAtZero_ns));
        } else {
            alignment.maps.push_back(mapToZero(*report, AlignMethod::none,
                                               "the file states no wall clock; put at zero, its place is unknown"));
        }
    }
    return alignment;
}

} // namespace lockstep
