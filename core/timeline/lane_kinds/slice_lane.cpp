// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/source_rows.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

const SliceBox* boxAt(const DisplayRow& row, int x)
{
    const auto after = std::ranges::upper_bound(row.boxes, x, {}, &SliceBox::begin);
    return after != row.boxes.begin() && x < std::prev(after)->end ? &*std::prev(after) : nullptr;
}

// Slices that are not hits are drawn translucent.
uint8_t dimmed(uint8_t part)
{
    constexpr int kLeft = 90; // of 255
    return static_cast<uint8_t>(part * kLeft / 255);
}

const DenseColumn* columnAt(const DisplayRow& row, int x)
{
    const auto found = std::ranges::lower_bound(row.columns, x, {}, &DenseColumn::x);
    return found != row.columns.end() && found->x == x ? &*found : nullptr;
}

void mergeColumn(DenseColumn& to, const DenseColumn& from)
{
    if (from.occupancy > to.occupancy) to.category = from.category;
    to.occupancy = static_cast<uint8_t>(std::min(255, to.occupancy + from.occupancy));
    to.count += from.count;
}

std::vector<std::string> linesOf(const Scene& scene, SliceRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const ClockMap& map = scene.alignment.map(ref.report);
    const TimeRange range = map.alignedFromTrace(report.slices.range(ref.slice));
    std::string times = report.slices.isInstant(ref.slice) ? "instant" : durationText(range.length());
    times += "   start " + durationText(range.begin - TraceTime{0}, 9);
    if (!map.isPlaced()) times += "   (clock not aligned)";
    std::vector<std::string> lines{std::string(report.nameOf(ref.slice)), std::move(times)};
    const MemoryOp* const op = report.memoryOpOf(ref.slice);
    if (op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns)) {
        const double seconds = static_cast<double>(std::max<int64_t>(1, range.length().ns)) * 1e-9;
        const auto rate = static_cast<int64_t>(static_cast<double>(op->size_bytes) / seconds);
        lines.push_back(byteText(static_cast<int64_t>(op->size_bytes)) + "   " + byteText(rate) + "/s");
    }
    return lines;
}

} // namespace

bool SliceLane::handles(const Lane&, bool) const
{
    return true;
}

void SliceLane::place(LaneFrame& frame, const LanePlace& place) const
{
    if (place.lane.isCollapsed) return placeSummary(frame, place);
    const std::vector<RowSource>& sources = frame.laneAt(place.lane.lane).sources;
    for (size_t i = 0; i < sources.size(); ++i)
        placeTrack(frame, place, sources[i], i == 0 || sources[i - 1].row != sources[i].row);
}

// Places consecutive captures of one track, whose slices can be shown.
void SliceLane::placeSummary(LaneFrame& frame, const LanePlace& place) const
{
    const std::vector<RowSource>& sources = frame.laneAt(place.lane.lane).summary;
    for (size_t i = 0; i < sources.size(); ++i) {
        if (i > 0 && !frame.reachesView(sources[i])) continue;
        DisplayRow& row = addRow(frame, place, place.y, place.lane.rowHeight);
        row.isSummary = true;
        row.track = {sources[i].report, sources[i].track};
        addJob(frame, place, {&sources[i], 1}, sources[i].depth);
    }
}

void SliceLane::placeTrack(LaneFrame& frame, const LanePlace& place, const RowSource& source,
                           bool isFirst) const
{
    // Of the captures on a row, only the visible ones are placed. At least one row is placed so that the lane
    // receives clicks.
    if (!isFirst && !frame.reachesView(source)) return;
    const int pitch = place.lane.rowHeight + frame.metrics.line;
    const int y = place.y + static_cast<int>(source.row) * pitch;
    const int depths =
        depthCountOf(frame.scene.shown.report(source.report), *frame.scene.lods[source.report], source);
    // Places only the depths on screen, because a source may have thousands.
    const int firstDepth = std::clamp((place.top - y) / pitch, 0, depths);
    for (int depth = firstDepth; depth < depths && y + depth * pitch < place.bottom; ++depth) {
        DisplayRow& row = addRow(frame, place, y + depth * pitch, place.lane.rowHeight);
        row.track = {source.report, source.track};
        row.depth = static_cast<uint16_t>(depth);
        addJob(frame, place, {&source, 1}, row.depth);
    }
}

void SliceLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const RowSource& source = job.sources.front();
    RowView view = frame.rowView(source.report, frame.view.font);
    if (frame.view.hidden != nullptr) view.hidden = frame.view.hidden->on(source.report, source.track);
    row.isSearched = frame.view.hits != nullptr;
    if (row.isSearched) view.hits = frame.view.hits->row(source.report, source.track, job.depth);
    layOutSlices(view.lod.slices().row(view.report, source.track, job.depth), view, row);
    if (!row.isSearched || !row.isSummary) return;
    // Hits in collapsed lanes are marked on the row that represents them.
    const std::vector<uint16_t> below =
        frame.view.hits->hitPixelsInSubtree(frame.scene, job.lane(), frame.scales);
    std::vector<uint16_t> all;
    std::ranges::set_union(row.hitColumns, below, std::back_inserter(all));
    row.hitColumns = std::move(all);
}

void SliceLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    row.isFlat = !row.isSummary && !row.isSearched;
    row.spans.reserve(row.columns.size() + row.boxes.size());
    const auto bottom = static_cast<uint16_t>(row.height);
    for (const DenseColumn& column : row.columns) {
        Span& span = row.spans.emplace_back();
        span.begin = column.x;
        span.end = static_cast<uint16_t>(column.x + 1);
        span.bottom = bottom;
        span.ink.category = column.category;
        span.ink.value = column.nameHash;
        if (row.isSummary) {
            const int height = std::max(1, (row.height * column.occupancy + 127) / 255);
            span.top = static_cast<uint16_t>(row.height - height);
        } else {
            const int part = column.occupancy == 0 ? 200 : 100 + column.occupancy * 155 / 255;
            span.ink.part = static_cast<uint8_t>(part);
        }
        if (row.isSearched && !std::ranges::binary_search(row.hitColumns, column.x))
            span.ink.part = dimmed(span.ink.part);
    }
    drawBoxes(metrics, row);
    if (row.isSearched) drawHits(metrics, row);
}

void SliceLane::drawBoxes(const FrameMetrics& metrics, DisplayRow& row) const
{
    const auto bottom = static_cast<uint16_t>(row.height);
    for (const SliceBox& box : row.boxes) {
        const bool leavesGap = !row.isSummary && box.end - box.begin >= metrics.boxGapFrom;
        Span& span = row.spans.emplace_back();
        span.begin = static_cast<uint16_t>(box.begin);
        span.end = static_cast<uint16_t>(box.end - (leavesGap ? metrics.boxGap : 0));
        span.bottom = bottom;
        span.ink.category = box.category;
        span.ink.kind = box.ownColor != 0 ? Ink::Kind::own : Ink::Kind::slice;
        span.ink.value = box.ownColor != 0 ? box.ownColor : box.nameHash;
        if (box.isDimmed) span.ink.part = dimmed(span.ink.part);
    }
}

// Underlines each hit; the line is drawn over other shapes.
void SliceLane::drawHits(const FrameMetrics& metrics, DisplayRow& row) const
{
    const int line = std::min(row.height, 2 * metrics.line);
    const auto underline = [&](int begin, int end) {
        Span& span = row.spans.emplace_back();
        span.begin = static_cast<uint16_t>(begin);
        span.end = static_cast<uint16_t>(end);
        span.top = static_cast<uint16_t>(row.height - line);
        span.bottom = static_cast<uint16_t>(row.height);
        span.ink.kind = Ink::Kind::hit;
    };
    for (const SliceBox& box : row.boxes) {
        if (box.isHit) underline(box.begin, box.end);
    }
    for (const uint16_t x : row.hitColumns) {
        // A row at the same place may have taken over the column.
        if (!row.isSearched || row.isSummary || columnAt(row, x) != nullptr) underline(x, x + 1);
    }
}

int SliceLane::endOf(const DisplayRow& row) const
{
    const int end = row.columns.empty() ? 0 : row.columns.back().x + 1;
    return row.boxes.empty() ? end : std::max(end, row.boxes.back().end);
}

// Shortens wide slices by a pixel. Narrow slices are merged into the column of the earlier capture.
void SliceLane::separate(int x, DisplayRow& earlier, DisplayRow& later) const
{
    SliceBox* const endingBox =
        !earlier.boxes.empty() && earlier.boxes.back().end > x ? &earlier.boxes.back() : nullptr;
    DenseColumn* const endingColumn =
        !earlier.columns.empty() && earlier.columns.back().x == x ? &earlier.columns.back() : nullptr;
    if (!later.columns.empty() && later.columns.front().x == x) {
        if (endingColumn != nullptr) {
            mergeColumn(*endingColumn, later.columns.front());
            later.columns.erase(later.columns.begin());
        } else if (endingBox != nullptr && endingBox->end - endingBox->begin > 1) {
            --endingBox->end;
        }
    }
    if (!later.boxes.empty() && later.boxes.front().begin == x &&
        (endingBox != nullptr || endingColumn != nullptr)) {
        SliceBox& box = later.boxes.front();
        if (box.end - box.begin > 1) {
            ++box.begin;
        } else if (endingBox != nullptr && endingBox->end == x + 1 && endingBox->end - endingBox->begin > 1) {
            --endingBox->end;
        }
    }
}

// Boxes are above columns.
bool SliceLane::hit(const DisplayRow& row, int x, int, Hit& hit) const
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
    return false;
}

std::vector<std::string> SliceLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    if (hit.part != Hit::Part::box && hit.part != Hit::Part::column) return {};
    const std::string path = scene.tree->pathOf(hit.lane);
    const std::string busy = std::to_string(std::lround(hit.occupancy / 2.55)) + " % busy in this pixel";
    if (!hit.slice.isValid()) return {path, busy};
    std::vector<std::string> lines = linesOf(scene, hit.slice);
    lines.push_back(path);
    if (hit.count > 1) lines.push_back("longest of " + std::to_string(hit.count) + " slices here, " + busy);
    return lines;
}

void SliceLane::write(std::ostream& out, const DisplayRow& row) const
{
    for (const DenseColumn& column : row.columns) {
        out << "    | " << column.x << " x" << column.count << ' ' << int(column.occupancy) << "/255 "
            << sliceCategoryName(column.category) << '\n';
    }
    for (const SliceBox& box : row.boxes) {
        out << "    [" << box.begin << ", " << box.end << ") " << sliceCategoryName(box.category);
        if (box.isOpenEnd) out << " open";
        if (box.labelLength > 0) out << " \"" << row.labelOf(box) << '"';
        out << '\n';
    }
}

const LaneKind& sliceLane()
{
    static const SliceLane kLane{};
    return kLane;
}

} // namespace lockstep
