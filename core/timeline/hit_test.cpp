#include "core/timeline/hit_test.h"

#include <algorithm>
#include <ranges>

#include "core/timeline/pixel_scale.h"

namespace lockstep {

namespace {

constexpr int kTriangleReach = 16;

bool isInBand(const DisplayList& list, bool isPinned, int y)
{
    return isPinned == (y < list.pinnedHeight);
}

const SliceBox* boxAt(const DisplayRow& row, int x)
{
    const auto after = std::ranges::upper_bound(row.boxes, x, {}, &SliceBox::begin);
    return after != row.boxes.begin() && x < std::prev(after)->end ? &*std::prev(after) : nullptr;
}

const DenseColumn* columnAt(const DisplayRow& row, int x)
{
    const auto found = std::ranges::lower_bound(row.columns, x, {}, &DenseColumn::x);
    return found != row.columns.end() && found->x == x ? &*found : nullptr;
}

// Boxes lie over columns.
bool hitAt(const DisplayRow& row, int x, Hit& hit)
{
    if (const SliceBox* const box = boxAt(row, x)) {
        hit.part = Hit::Part::box;
        hit.slice = box->slice.isValid() ? SliceRef{row.track.report, box->slice} : SliceRef();
        hit.count = 1;
        hit.occupancy = 255;
        return true;
    }
    if (const DenseColumn* const column = columnAt(row, x)) {
        hit.part = Hit::Part::column;
        hit.x = x;
        hit.slice = column->longest.isValid() ? SliceRef{row.track.report, column->longest} : SliceRef();
        hit.count = column->count;
        hit.occupancy = column->occupancy;
        return true;
    }
    const auto sample = std::ranges::lower_bound(row.samples, x, {}, &CounterColumn::x);
    if (sample != row.samples.end() && sample->x == x) {
        hit.part = Hit::Part::counter;
        hit.value = sample->last;
        return true;
    }
    return false;
}

// The nearest shape of several captures on one row; without one, the row itself.
Hit hitRows(const std::vector<const DisplayRow*>& rows, int x, int slack, Hit hit)
{
    const auto at = [&](const DisplayRow& row) {
        Hit out = hit;
        out.isSummary = row.isSummary;
        out.track = row.track;
        out.depth = row.depth;
        return out;
    };
    if (rows.front()->shape == RowShape::hatch) {
        hit = at(*rows.front());
        hit.part = Hit::Part::hatch;
        return hit;
    }
    for (int distance = 0; distance <= slack; ++distance) {
        for (const DisplayRow* const row : rows) {
            Hit found = at(*row);
            if (hitAt(*row, x - distance, found) || hitAt(*row, x + distance, found)) return found;
        }
    }
    return at(*rows.front());
}

} // namespace

Hit hitTest(const DisplayList& list, int x, int y, int slack)
{
    Hit hit;
    const auto holds = [&](const auto& shape) {
        return isInBand(list, shape.isPinned, y) && shape.y <= y && y < shape.y + shape.height;
    };
    const auto lane = std::ranges::find_if(list.lanes, holds);
    if (lane == list.lanes.end() || x < 0 || x >= list.size.width || y >= list.size.height) return hit;
    hit.lane = lane->lane;
    if (x < list.headerWidth) {
        const bool isTriangle = lane->hasTriangle && x >= lane->indent && x < lane->indent + kTriangleReach;
        hit.part = isTriangle ? Hit::Part::triangle : Hit::Part::header;
        return hit;
    }
    hit.part = Hit::Part::lane;
    std::vector<const DisplayRow*> rows;
    for (const DisplayRow& row : list.rows) {
        if (holds(row)) rows.push_back(&row);
    }
    return rows.empty() ? hit : hitRows(rows, x - list.headerWidth, slack, hit);
}

SliceRef sliceOf(const Scene& scene, const DisplayList& list, const Hit& hit)
{
    if (hit.part != Hit::Part::column || hit.slice.isValid() || !hit.track.track.isValid()) return hit.slice;
    const ReportKey id = hit.track.report;
    const Report& report = scene.shown.report(id);
    const LodRow row = scene.lods[id]->slices().row(report, hit.track.track, hit.depth);
    const PixelScale scale(scene.alignment.map(id).traceFromAligned(list.visible), list.timeWidth());
    const RowSummary summary = row.summarize(scale.pixelRange(hit.x));
    return summary.count == 0 ? SliceRef() : SliceRef{id, row.sliceAt(summary.longest)};
}

} // namespace lockstep
