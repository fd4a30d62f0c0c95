// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>
#include <bit>

#include "core/base/text.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

// GraphLane: CUDA graph events, node by node. Most events have no duration, and thousands of them may share a
// pixel, so the height represents the number of events. Events with a duration are drawn as boxes, like
// slices.
class GraphLane final : public SliceLane {
  public:
    std::string_view name() const override { return "graph events"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

constexpr int kMinHeight = 40,
              kHeightOfDoubling = 10; // height in percent of the row: for one event, and added for each
                                      // doubling of the number of events

int heightOf(uint32_t count, int rowHeight)
{
    const int doublings = static_cast<int>(std::bit_width(count)) - 1;
    const int percent = std::min(100, kMinHeight + kHeightOfDoubling * std::max(0, doublings));
    return std::max(1, rowHeight * percent / 100);
}

} // namespace

bool GraphLane::handles(const Lane& lane, bool) const
{
    return lane.subject == LaneSubject::graphEvents;
}

void GraphLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    row.isFlat = true;
    size_t last = SIZE_MAX;
    for (const DenseColumn& column : row.columns) {
        Span span;
        span.begin = column.x;
        span.end = static_cast<uint16_t>(column.x + 1);
        span.top = static_cast<uint16_t>(row.height - heightOf(column.count, row.height));
        span.bottom = static_cast<uint16_t>(row.height);
        span.ink.kind = Ink::Kind::busy;
        span.ink.category = column.category;
        addMerged(row.spans, span, last);
    }
    drawBoxes(metrics, row);
}

std::vector<std::string> GraphLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    if (hit.part != Hit::Part::column || hit.count < 2) return SliceLane::hover(scene, list, hit);
    std::vector<std::string> lines{groupedText(hit.count) + " CUDA graph events in this pixel"};
    if (hit.slice.isValid())
        lines.push_back("for example: " +
                        std::string(scene.shown.report(hit.slice.report).nameOf(hit.slice.slice)));
    lines.push_back(scene.tree->pathOf(hit.lane));
    return lines;
}

const LaneKind& graphLane()
{
    static const GraphLane kLane{};
    return kLane;
}

} // namespace lockstep
