// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/hit_test.h"

#include <algorithm>
#include <ranges>

#include "core/timeline/lane_kind.h"

namespace lockstep {

namespace {

bool isInBand(const DisplayList& list, bool isPinned, int y)
{
    return isPinned == (y < list.pinnedHeight);
}

// Finds the flag itself. Its pole does not hide shapes from hit tests.
const DisplayFlag* flagAt(const DisplayList& list, int x, int y)
{
    for (const DisplayFlag& flag : list.flags) {
        if (flag.width > 0 && flag.isPinned == (y < list.pinnedHeight) && flag.left <= x &&
            x < flag.left + flag.width && flag.top <= y && y < flag.top + list.metrics.flag)
            return &flag;
    }
    return nullptr;
}

// Finds the nearest shape among several captures on one row. If there is none, finds the row itself.
Hit hitRows(const std::vector<const DisplayRow*>& rows, int x, int y, int slack, Hit hit)
{
    const auto at = [&](const DisplayRow& row) {
        Hit out = hit;
        out.track = row.track;
        out.depth = row.depth;
        return out;
    };
    for (int distance = 0; distance <= slack; ++distance) {
        for (const DisplayRow* const row : rows) {
            Hit found = at(*row);
            if (row->kind->hit(*row, x - distance, y, found) || row->kind->hit(*row, x + distance, y, found))
                return found;
        }
    }
    return at(*rows.front());
}

} // namespace

namespace {

bool isInControls(const DisplayList& list, int y)
{
    return std::ranges::any_of(list.lanes, [&](const DisplayLane& lane) {
        return isInBand(list, lane.isPinned, y) && lane.y <= y &&
               y < lane.y + lane.kind->controlsHeight(list.metrics);
    });
}

// Shapes drawn inside a band are found as usual. Controls are not part of a band.
Hit withGap(const DisplayList& list, int x, int y, Hit hit)
{
    const bool isFree = hit.part == Hit::Part::lane || hit.part == Hit::Part::nothing;
    if (!isFree || x < list.headerWidth || x >= list.size.width || isInControls(list, y)) return hit;
    for (const ScalePart& part : list.scale.parts()) {
        if (part.isFolded() && part.begin <= x - list.headerWidth && x - list.headerWidth < part.end)
            hit.gap = part.gap;
    }
    return hit;
}

Hit hitLanes(const DisplayList& list, int x, int y, std::optional<int> slack)
{
    Hit hit;
    const auto holds = [&](const auto& shape) {
        return isInBand(list, shape.isPinned, y) && shape.y <= y && y < shape.y + shape.height;
    };
    const auto lane = std::ranges::find_if(list.lanes, holds);
    if (lane == list.lanes.end() || x < 0 || x >= list.size.width || y >= list.size.height) return hit;
    hit.lane = lane->lane;
    hit.kind = lane->kind;
    for (const LaneText& text : lane->texts) {
        if (text.choice < 0 || x < text.x || x >= text.x + text.width || y < text.y ||
            y >= text.y + text.height)
            continue;
        hit.part = Hit::Part::choice;
        hit.choice = text.choice;
        return hit;
    }
    if (x < list.headerWidth) {
        const int reach = list.metrics.triangleReach;
        const bool isTriangle = lane->hasTriangle && x >= lane->indent && x < lane->indent + reach;
        hit.part = isTriangle ? Hit::Part::triangle : Hit::Part::header;
        return hit;
    }
    if (const DisplayFlag* const flag = flagAt(list, x, y)) {
        hit.part = Hit::Part::box;
        hit.slice = flag->slice;
        hit.track = {flag->slice.report, {}};
        hit.count = 1;
        hit.lane = flag->lane;
        hit.kind = &kindOf(list.tree->lane(flag->lane), false);
        return hit;
    }
    hit.part = Hit::Part::lane;
    std::vector<const DisplayRow*> rows;
    for (const DisplayRow& row : list.rows) {
        if (holds(row)) rows.push_back(&row);
    }
    if (rows.empty()) return hit;
    return hitRows(rows, x - list.headerWidth, y, slack.value_or(list.metrics.hitSlack), hit);
}

} // namespace

Hit hitTest(const DisplayList& list, int x, int y, std::optional<int> slack)
{
    return withGap(list, x, y, hitLanes(list, x, y, slack));
}

SliceRef sliceOf(const Scene& scene, const DisplayList& list, const Hit& hit)
{
    if (hit.part != Hit::Part::column || hit.slice.isValid() || !hit.track.track.isValid()) return hit.slice;
    const ReportKey id = hit.track.report;
    const Report& report = scene.shown.report(id);
    const LodRow row = scene.lods[id]->slices().row(report, hit.track.track, hit.depth);
    const PixelScale scale = list.scale.onClock(
        [&](TimeRange aligned) { return scene.alignment.map(id).traceFromAligned(aligned); });
    const RowSummary summary = row.summarize(scale.pixelRange(hit.x));
    return summary.count == 0 ? SliceRef() : SliceRef{id, row.sliceAt(summary.longest)};
}

} // namespace lockstep
