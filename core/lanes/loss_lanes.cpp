// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/loss_lanes.h"

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

// Adds the time ranges for which additional data is known to exist.
void addGaps(ProcessLanesBuilder& lanes)
{
    std::vector<TimeRange> gaps;
    for (const ProcessLaneSource::Member& member : lanes.members()) {
        if (!member.showsLoss) continue;
        for (const TimeRange gap : member.report->gaps)
            gaps.push_back(member.map.alignedFromTrace(gap));
    }
    if (gaps.empty()) return;
    std::ranges::sort(gaps, {}, &TimeRange::begin);
    Lane& lane = lanes.at(lanes.add(LaneSubject::other, 0, "gaps", "not collected yet"));
    lane.note =
        "recorded on the host but not received yet (hatched); arrives when the run's reports are collected";
    lane.data.set(LossLaneData{std::move(gaps)});
}

} // namespace

// A recording that was cut short lacks only what follows its last record. The times of other losses are not
// known: if there are any, the lane has no gaps and is hatched over its whole length.
void addLossLanes(ProcessLanesBuilder& lanes)
{
    std::string lost;
    size_t files = 0;
    std::vector<TimeRange> ends;
    bool isPlaced = true;
    for (const ProcessLaneSource::Member& member : lanes.members()) {
        std::string ofReport;
        bool isOfEnd = true;
        for (const ImportNote& note : member.report->notes.all()) {
            if (note.severity != NoteSeverity::dataLoss) continue;
            ofReport += (ofReport.empty() ? "" : "; ") + note.text + " (" + std::to_string(note.count) + ")";
            isOfEnd = isOfEnd && note.isAtEnd();
        }
        if (ofReport.empty() || !member.showsLoss) continue;
        ++files;
        lost += (lost.empty() ? "" : "\n") + lanes.memberNote(member, ofReport);
        isPlaced = isPlaced && isOfEnd;
        ends.push_back({member.map.alignedFromTrace(lastRecordOf(*member.report)), kAllTime.end});
    }
    addGaps(lanes);
    if (lost.empty()) return;
    std::string label = "data loss";
    if (lanes.members().size() > 1)
        label += " in " + std::to_string(files) + " of " + std::to_string(lanes.members().size()) + " files";
    Lane& lane = lanes.at(lanes.add(LaneSubject::other, 0, "data loss", label));
    lane.note = lost;
    LossLaneData data;
    // Each range reaches the end of the axis, so the union is the one that begins first.
    if (isPlaced) data.gaps = {*std::ranges::min_element(ends, {}, &TimeRange::begin)};
    lane.data.set(std::move(data));
}

} // namespace lockstep
