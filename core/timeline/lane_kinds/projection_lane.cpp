// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/source_rows.h"
#include "core/timeline/lane_kinds/registry.h"
#include "core/timeline/summary_layout.h"

namespace lockstep {

namespace {

// ProjectionLane: NVTX ranges projected onto a GPU, one row per depth and thread. Its slices are those of the
// ranges on the CPU: a click selects the range itself. A collapsed lane with ranges of several threads shows
// how much of each pixel they cover.
class ProjectionLane final : public SliceLane {
  public:
    std::string_view name() const override { return "projection"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

std::optional<ProjectedSpan> spanOf(const Scene& scene, uint32_t lane, SliceRef range)
{
    for (const RowSource& source : scene.tree->lane(lane).sources) {
        if (source.report != range.report) continue;
        const auto span = scene.lods[source.report]->projections()[source.projection].of(range.slice);
        if (span) return span;
    }
    return std::nullopt;
}

std::string timesText(const ClockMap& map, TimeRange range)
{
    const TimeRange aligned = map.alignedFromTrace(range);
    return durationText(aligned.length()) + "   start " + durationText(aligned.begin - TraceTime{0}, 9);
}

// Returns "process 4711 · thread 4712 autograd".
std::string threadOf(const Report& report, SliceId range)
{
    const TrackKey& key = report.track(report.trackOf(range)).key;
    std::string text;
    if (key.process.isValid())
        appendLabelPart(text, "process " + std::to_string(report.processes[key.process.value].pid));
    if (key.thread.isValid()) appendLabelPart(text, threadLabel(report, key.thread));
    return text;
}

} // namespace

bool ProjectionLane::handles(const Lane& lane, bool) const
{
    return lane.subject == LaneSubject::projection;
}

void ProjectionLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const Lane& lane = frame.laneAt(place.lane.lane);
    if (!place.lane.isCollapsed || lane.isSummaryOfOne) return SliceLane::place(frame, place);
    addRow(frame, place, place.y, place.lane.rowHeight).isSummary = true;
    addJob(frame, place, lane.summary);
}

void ProjectionLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    if (job.sources.size() > 1)
        return layOutSummary(frame.scene, frame.list.scale, frame.metrics, job.sources, row);
    const RowSource& source = job.sources.front();
    RowView view = frame.rowView(source.report, frame.view.font);
    if (frame.view.hidden != nullptr) view.hidden = frame.view.hidden->in(source.report);
    row.isSearched = frame.view.hits != nullptr;
    if (row.isSearched)
        view.hits = frame.view.hits->projectionRow(source.report, source.projection, job.depth);
    const LodRow ranges = rowOf(view.report, view.lod, source, job.depth);
    layOutSlices(ranges, view, row);
    // Hit tests look up the longest slice of a crowded column by its track. These rows have no track.
    for (DenseColumn& column : row.columns) {
        if (column.longest.isValid()) continue;
        const RowSummary summary = ranges.summarize(view.scale.pixelRange(column.x));
        if (summary.count > 0) column.longest = ranges.sliceAt(summary.longest);
    }
}

std::vector<std::string> ProjectionLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    if (hit.part != Hit::Part::box && hit.part != Hit::Part::column) return {};
    const std::string path = scene.tree->pathOf(hit.lane);
    const std::string covered =
        std::to_string(std::lround(hit.occupancy / 2.55)) + " % of this pixel is in a range";
    const auto span = hit.slice.isValid() ? spanOf(scene, hit.lane, hit.slice) : std::nullopt;
    if (!span) return {path, covered};
    const Report& report = scene.shown.report(hit.slice.report);
    const ClockMap& map = scene.alignment.map(hit.slice.report);
    std::vector<std::string> lines{std::string(report.nameOf(hit.slice.slice)), timesText(map, span->range)};
    if (!map.isPlaced()) lines.back() += "   (clock not aligned)";
    lines.emplace_back(
        "projection: from the first to the last GPU operation launched in this range on this device");
    lines.push_back(groupedText(span->launches) +
                    (span->launches == 1 ? " call launched GPU work" : " calls launched GPU work"));
    lines.push_back("on the CPU: " + timesText(map, report.slices.range(hit.slice.slice)) + "   " +
                    threadOf(report, hit.slice.slice));
    lines.push_back(path);
    if (hit.count > 1)
        lines.push_back("longest of " + std::to_string(hit.count) + " ranges here, " + covered);
    return lines;
}

const LaneKind& projectionLane()
{
    static const ProjectionLane kLane{};
    return kLane;
}

} // namespace lockstep
