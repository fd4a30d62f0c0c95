// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/selection_layout.h"

#include <algorithm>
#include <cmath>

#include "core/timeline/measure.h"
#include "core/timeline/memory_pointing.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

namespace {

// Returns pixels from the area's left edge, at most one width beyond the view, so that curves have the right
// direction.
int xOf(const Scene& scene, const DisplayList& list, ReportKey report, TraceTime t)
{
    const int width = std::max(1, list.timeWidth());
    const TraceTime at = scene.alignment.map(report).alignedFromTrace(t);
    if (list.visible.contains(at)) return list.headerWidth + list.scale.pixelOf(at);
    const Duration since = at - list.visible.begin;
    const double part = static_cast<double>(since.ns) / static_cast<double>(list.visible.length().ns);
    return list.headerWidth + static_cast<int>(std::floor(std::clamp(part, -1.0, 2.0) * width));
}

void mark(const Scene& scene, const FrameView& view, SliceRef ref, bool isSelected, DisplayList& list)
{
    const auto place = slicePosition(scene, view, ref);
    if (!place || !place->isShown) return;
    const SliceTable& slices = scene.shown.report(ref.report).slices;
    const int left = std::max(view.headerWidth, xOf(scene, list, ref.report, slices.start(ref.slice)));
    const int right = std::min(view.size.width, xOf(scene, list, ref.report, slices.end(ref.slice)));
    if (left >= view.size.width || right < view.headerWidth) return;
    list.marks.push_back(
        {left, place->y, std::max(kMinBoxWidth, right - left), place->height, isSelected, ref});
}

} // namespace

std::vector<Link> linksOf(const Report& report, SliceId slice)
{
    const auto from = report.links.from(slice);
    std::vector<Link> links(from.begin(),
                            from.begin() + static_cast<ptrdiff_t>(std::min(from.size(), kMaxLinks)));
    for (size_t n = 0; links.size() < kMaxLinks; ++n) {
        const Link* const link = report.links.to(slice, n);
        if (link == nullptr) break;
        links.push_back(*link);
    }
    return links;
}

std::optional<SlicePosition> slicePosition(const Scene& scene, const FrameView& view, SliceRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const uint32_t lane = scene.tree->laneOf({ref.report, track});
    SlicePosition out;
    const PlacedLane* const placed = view.flow->placeOf(*scene.tree, lane, &out.isPinned);
    if (placed == nullptr) return std::nullopt;
    const int pinnedHeight = std::min(view.flow->pinnedHeight, view.size.height / 2);
    out.height = placed->rowHeight;
    out.y = placed->y + (out.isPinned ? 0 : pinnedHeight - view.scroll);
    out.isShown = placed->lane == lane;
    if (!out.isShown) return out;
    int row = report.slices.depth[ref.slice.value];
    for (const RowSource& source : scene.tree->lane(lane).sources) {
        if (source.report == ref.report && source.track == track) row += static_cast<int>(source.row);
    }
    if (placed->isCollapsed) {
        out.isShown = row == 0;
        row = 0;
    }
    out.y += row * (placed->rowHeight + view.metrics().line);
    return out;
}

namespace {

// Links extend from the start of the cause to the end of the effect, because no rank leaves a collective
// before the last one has arrived.
void linkPeers(const Scene& scene, const FrameView& view, SliceRef cause, SliceRef effect, DisplayList& list)
{
    const auto from = slicePosition(scene, view, cause), to = slicePosition(scene, view, effect);
    if (!from || !to || list.links.size() >= kMaxLinks) return;
    const TraceTime start = scene.shown.report(cause.report).slices.start(cause.slice);
    const TraceTime end = scene.shown.report(effect.report).slices.end(effect.slice);
    const Duration gap = scene.alignment.map(effect.report).alignedFromTrace(end) -
                         scene.alignment.map(cause.report).alignedFromTrace(start);
    const Measure measure = measureBetween(scene.alignment, cause.report, effect.report, gap);
    list.links.push_back({xOf(scene, list, cause.report, start), from->y + from->height / 2,
                          xOf(scene, list, effect.report, end), to->y + to->height / 2, LinkKind::flow, cause,
                          effect, !measure.isDecided()});
}

// Draws the other parts of a collective: the parts that waited for the selected part, or the part for which
// the selected part waited.
void layOutPeers(const Scene& scene, const FrameView& view, DisplayList& list)
{
    const Selection& selection = view.selection;
    const auto isHeld = [&](SliceRef ref) {
        return ref.isValid() && scene.shown.has(ref.report) &&
               ref.slice.value < scene.shown.report(ref.report).slices.size();
    };
    for (const SliceRef& peer : selection.peers) {
        if (peer == selection.slice || !isHeld(peer)) continue;
        mark(scene, view, peer, false, list);
        if (selection.peersCause == selection.slice) linkPeers(scene, view, selection.slice, peer, list);
    }
    if (isHeld(selection.peersCause) && selection.peersCause != selection.slice)
        linkPeers(scene, view, selection.peersCause, selection.slice, list);
}

// Outlines the lifetime of a block, on the lane that shows it.
void markBlock(const Scene& scene, const FrameView& view, DisplayList& list)
{
    const auto place = memoryPlaceOf(scene, view.selection.block);
    const auto life = place ? lifeOf(*place, view.selection.block.life) : std::nullopt;
    if (!life) return;
    const PixelScale& scale = list.scale;
    if (!life->overlaps(view.visible)) return;
    const int left = view.headerWidth + scale.pixelOf(life->begin);
    const int right = view.headerWidth + scale.pixelOf(life->end);
    for (const DisplayRow& row : list.rows) {
        if (row.lane != place->lane || row.track.report != view.selection.block.report) continue;
        list.marks.push_back({left, row.y, std::max(kMinBoxWidth, right - left), row.height, true, {}});
    }
}

// Outlines the projections of the selected range.
void markProjections(SliceRef selected, const FrameView& view, DisplayList& list)
{
    for (const DisplayRow& row : list.rows) {
        const bool isProjection = row.source != nullptr && row.source->kind == RowSource::Kind::projection;
        if (!isProjection || row.track.report != selected.report) continue;
        const auto box = std::ranges::find(row.boxes, selected.slice, &SliceBox::slice);
        if (box == row.boxes.end()) continue;
        list.marks.push_back({view.headerWidth + box->begin, row.y,
                              std::max(kMinBoxWidth, box->end - box->begin), row.height, false, selected});
    }
}

} // namespace

void layOutSelection(const Scene& scene, const FrameView& view, DisplayList& list)
{
    const Measure measure = measureOf(scene.alignment, view.selection);
    // On a single clock, the length on the ruler is sufficient.
    const bool isOneClock = view.selection.began == view.selection.ended;
    list.measure = isOneClock ? std::string() : measure.text;
    list.isMeasureUndecided = !measure.isDecided();
    markBlock(scene, view, list);
    const SliceRef selected = view.selection.slice;
    if (!selected.isValid() || !scene.shown.has(selected.report)) return;
    const Report& report = scene.shown.report(selected.report);
    if (selected.slice.value >= report.slices.size()) return;
    for (const Link& link : linksOf(report, selected.slice)) {
        const SliceRef cause{selected.report, link.cause}, effect{selected.report, link.effect};
        mark(scene, view, link.cause == selected.slice ? effect : cause, false, list);
        const auto from = slicePosition(scene, view, cause), to = slicePosition(scene, view, effect);
        if (!from || !to) continue;
        list.links.push_back({xOf(scene, list, selected.report, report.slices.start(link.cause)),
                              from->y + from->height / 2,
                              xOf(scene, list, selected.report, report.slices.start(link.effect)),
                              to->y + to->height / 2, link.kind, cause, effect});
    }
    layOutPeers(scene, view, list);
    mark(scene, view, selected, true, list);
    markProjections(selected, view, list);
}

} // namespace lockstep
