// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/lanes/query_lanes.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

// QueryLane: the slices of a SQL query result. They do not belong to any report, so they cannot be selected,
// searched or counted; the hover card states the query.
class QueryLane final : public SliceLane {
  public:
    std::string_view name() const override { return "query"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    uint32_t rowCount(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

struct QueryHitData {
    uint32_t item = 0; // index in the row of the track
};

const QueryTrack& trackOf(const Lane& lane)
{
    return *lane.data.as<QueryLaneData>()->track;
}

void addQueryLabel(const LaneFrame& frame, std::string_view name, DisplayRow& row, SliceBox& box)
{
    const LabelFont* const font = frame.view.font;
    if (font == nullptr) return;
    const auto room = static_cast<float>(box.end - box.begin - 2 * frame.metrics.labelPadding);
    if (room < 3 * font->advance['i']) return;
    const std::string label = elideEnd(name, room, *font);
    box.label = static_cast<uint32_t>(row.text.size());
    box.labelLength = static_cast<uint32_t>(label.size());
    row.text += label;
}

} // namespace

bool QueryLane::handles(const Lane& lane, bool) const
{
    return lane.data.is<QueryLaneData>();
}

uint32_t QueryLane::rowCount(const Lane& lane, bool) const
{
    return static_cast<uint32_t>(trackOf(lane).rows.size());
}

// Places only the rows on screen, but at least one, so that the lane receives clicks.
void QueryLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const int pitch = place.lane.rowHeight + frame.metrics.line;
    const auto rows = static_cast<int>(place.lane.rowsShown);
    const int first = std::clamp((place.top - place.y) / pitch, 0, rows - 1);
    for (int i = first; i < rows && (i == first || place.y + i * pitch < place.bottom); ++i) {
        DisplayRow& row = addRow(frame, place, place.y + i * pitch, place.lane.rowHeight);
        row.depth = static_cast<uint16_t>(i);
        addJob(frame, place, {}, row.depth);
    }
}

// Adds a box at least one pixel wide for each slice. Of several slices in one pixel, the first is used.
// O(width * log slices).
void QueryLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const QueryTrack& track = trackOf(frame.laneAt(job.lane()));
    if (job.depth >= track.rows.size()) return;
    const std::vector<QuerySlice>& slices = track.rows[job.depth];
    const PixelScale& scale = frame.list.scale;
    int free = 0; // first pixel without a box
    for (size_t i = track.firstAfter(job.depth, scale.range().begin);
         i < slices.size() && slices[i].range.begin < scale.range().end && free < scale.width();) {
        const std::string_view name = track.names->at(slices[i].name);
        SliceBox box;
        box.begin = std::max(free, scale.pixelOf(slices[i].range.begin));
        box.end = std::min(scale.width(), std::max(box.begin + 1, scale.pixelOf(slices[i].range.end)));
        if (box.begin >= box.end) break; // begins in the last pixel, which has a box
        box.nameHash = lightnessHash(name);
        box.item = static_cast<uint32_t>(i);
        addQueryLabel(frame, name, row, box);
        free = box.end;
        row.boxes.push_back(box);
        i = std::max(i + 1, track.firstAfter(job.depth, scale.startOf(free)));
    }
}

void QueryLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    row.isFlat = true;
    drawBoxes(metrics, row);
}

bool QueryLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    if (!SliceLane::hit(row, x, y, hit)) return false;
    const auto after = std::ranges::upper_bound(row.boxes, x, {}, &SliceBox::begin);
    hit.data.set(QueryHitData{std::prev(after)->item});
    hit.x = x;
    return true;
}

std::vector<std::string> QueryLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    const auto* const data = hit.data.as<QueryHitData>();
    if (data == nullptr) return {};
    const QueryTrack& track = trackOf(scene.tree->lane(hit.lane));
    if (hit.depth >= track.rows.size() || data->item >= track.rows[hit.depth].size()) return {};
    const QuerySlice& slice = track.rows[hit.depth][data->item];
    const std::string_view name = track.names->at(slice.name);
    std::vector<std::string> lines{name.empty() ? "(no name)" : std::string(name)};
    lines.push_back((slice.isInstant() ? "instant" : durationText(slice.range.length())) + "   start " +
                    durationText(slice.range.begin - TraceTime{0}, 9));
    lines.push_back("from query: " + track.title);
    lines.push_back(scene.tree->pathOf(hit.lane));
    const std::vector<QuerySlice>& row = track.rows[hit.depth];
    const auto end = std::ranges::lower_bound(row, list.scale.startOf(hit.x + 1), {},
                                              [](const QuerySlice& one) { return one.range.begin; });
    const auto count = end - row.begin() - static_cast<std::ptrdiff_t>(data->item);
    if (count > 1) lines.push_back("first of " + groupedText(count) + " slices in this pixel");
    return lines;
}

const LaneKind& queryLane()
{
    static const QueryLane kLane{};
    return kLane;
}

} // namespace lockstep
