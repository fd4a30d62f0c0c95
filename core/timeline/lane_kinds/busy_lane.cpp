// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>

#include "core/timeline/lane_kinds/registry.h"
#include "core/timeline/summary_layout.h"

namespace lockstep {

namespace {

// BusyLane: draws utilization as height, in the color of the dominant activity, for a GPU or for all content
// of a collapsed lane. Captures of the same source are merged; different sources are averaged.
class BusyLane final : public SliceLane {
  public:
    std::string_view name() const override { return "busy"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
};

} // namespace

bool BusyLane::handles(const Lane& lane, bool isCollapsed) const
{
    if (isCollapsed) return !lane.isSummaryOfOne;
    return !lane.sources.empty() && lane.sources.front().kind == RowSource::Kind::busy;
}

void BusyLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const Lane& lane = frame.laneAt(place.lane.lane);
    if (place.lane.isCollapsed) {
        if (lane.summary.empty()) return;
        addRow(frame, place, place.y, place.lane.rowHeight).isSummary = true;
        addJob(frame, place, lane.summary);
        return;
    }
    for (size_t i = 0; i < lane.sources.size(); ++i) {
        const RowSource& source = lane.sources[i];
        const bool isFirst = i == 0 || lane.sources[i - 1].row != source.row;
        if (!isFirst && !frame.reachesView(source)) continue;
        const int y = place.y + static_cast<int>(source.row) * (place.lane.rowHeight + frame.metrics.line);
        addRow(frame, place, y, place.lane.rowHeight).track = {source.report, {}};
        addJob(frame, place, {&source, 1});
    }
}

void BusyLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    layOutSummary(frame.scene, frame.list.scale, frame.metrics, job.sources, row);
    const auto& hits = frame.view.hits;
    if (hits != nullptr && row.isSummary)
        row.hitColumns = hits->hitPixelsInSubtree(frame.scene, job.lane(), frame.scales);
}

std::vector<std::string> BusyLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    std::vector<std::string> lines = SliceLane::hover(scene, list, hit);
    if (!lines.empty() && list.hidden != nullptr) lines.emplace_back(kHiddenNamesCount);
    return lines;
}

void BusyLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    const bool isSummary = std::exchange(row.isSummary, true);
    SliceLane::draw(metrics, row);
    row.isSummary = isSummary;
    for (Span& span : row.spans) {
        span.ink.kind = Ink::Kind::busy;
        span.ink.value = kPlainName;
    }
    drawHits(metrics, row); // hits in collapsed lanes
}

const LaneKind& busyLane()
{
    static const BusyLane kLane{};
    return kLane;
}

} // namespace lockstep
