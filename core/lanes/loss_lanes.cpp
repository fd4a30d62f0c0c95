// SPDX-License-Identifier: Apache-2.0
// Builds the lanes for missing data: data that a report recorded as lost, or that is not collected yet. Part
// of ProcessLanesBuilder.
#include <algorithm>

#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

namespace {

// Returns the time of the last record, on the report's clock.
TraceTime lastRecordOf(const Report& report)
{
    if (report.extent.isEmpty()) return report.session.end;
    return report.session.isEmpty() ? report.extent.end : std::max(report.session.end, report.extent.end);
}

} // namespace

// A recording that was cut short lacks only what follows its last record. The times of other losses are not
// known: if there are any, the lane has no gaps and is hatched over its whole length.
void ProcessLanesBuilder::addDataLoss()
{
    std::string lost;
    size_t files = 0;
    std::vector<TimeRange> ends;
    bool isPlaced = true;
    for (const Member& member : members()) {
        std::string ofReport;
        bool isOfEnd = true;
        for (const ImportNote& note : member.report->notes.all()) {
            if (note.severity != NoteSeverity::dataLoss) continue;
            ofReport += (ofReport.empty() ? "" : "; ") + note.text + " (" + std::to_string(note.count) + ")";
            isOfEnd = isOfEnd && note.isAtEnd();
        }
        if (ofReport.empty() || !member.showsLoss) continue;
        ++files;
        lost += (lost.empty() ? "" : "\n") + told(member, ofReport);
        isPlaced = isPlaced && isOfEnd;
        ends.push_back({member.map.alignedFromTrace(lastRecordOf(*member.report)), kAllTime.end});
    }
    addGaps();
    if (lost.empty()) return;
    std::string label = "data loss";
    if (members().size() > 1)
        label += " in " + std::to_string(files) + " of " + std::to_string(members().size()) + " files";
    const uint32_t lane = add(LaneSubject::dataLoss, 0, "data loss", label);
    at(lane).note = lost;
    if (!isPlaced) return;
    // Each range reaches the end of the axis, so the union is the one that begins first.
    at(lane).gaps = {*std::ranges::min_element(ends, {}, &TimeRange::begin)};
}

// Adds the time ranges for which additional data is known to exist.
void ProcessLanesBuilder::addGaps()
{
    std::vector<TimeRange> gaps;
    for (const Member& member : members()) {
        if (!member.showsLoss) continue;
        for (const TimeRange gap : member.report->gaps)
            gaps.push_back(member.map.alignedFromTrace(gap));
    }
    if (gaps.empty()) return;
    std::ranges::sort(gaps, {}, &TimeRange::begin);
    const uint32_t lane = add(LaneSubject::dataLoss, 0, "gaps", "not collected yet");
    at(lane).note =
        "recorded on the host but not received yet (hatched); arrives when the run's reports are collected";
    at(lane).gaps = std::move(gaps);
}

} // namespace lockstep
