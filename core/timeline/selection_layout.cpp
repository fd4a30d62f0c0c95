// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/selection_layout.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/timeline/measure.h"
#include "core/timeline/memory_pointing.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

namespace {

// The visible lanes that an area selection covers. If lanes in the area were collapsed later, the collapsed
// lane represents them.
class ShownLanes {
  public:
    ShownLanes(const LaneTree& tree, const Area& area, const DisplayList& list) : m_tree(tree)
    {
        std::set<uint32_t> shown;
        for (const DisplayLane& lane : list.lanes)
            shown.insert(lane.lane);
        for (const AreaLane& lane : area.lanes) {
            const uint32_t found = tree.find(lane.key);
            if (found == kNoLane) continue;
            m_isWhole[found] |= lane.isWhole;
            uint32_t up = found;
            while (up != kNoLane && !shown.contains(up))
                up = tree.parentOf(up);
            if (up != kNoLane) m_foldedInto.insert(up);
        }
    }

    bool contains(const DisplayLane& lane) const
    {
        if (m_isWhole.contains(lane.lane)) return true;
        if (lane.isCollapsed && m_foldedInto.contains(lane.lane)) return true;
        for (uint32_t up = m_tree.parentOf(lane.lane); up != kNoLane; up = m_tree.parentOf(up)) {
            const auto found = m_isWhole.find(up);
            if (found != m_isWhole.end() && found->second) return true;
        }
        return false;
    }

  private:
    const LaneTree& m_tree;
    std::unordered_map<uint32_t, bool> m_isWhole; // for each lane listed in the area: whether all lanes below
                                                  // it are included
    std::set<uint32_t> m_foldedInto;
};

// Outlines the visible selected slices on one track, one outline per run of pixels.
class RowPicks {
  public:
    RowPicks(const Scene& scene, std::span<const SliceRef> picks, const DisplayRow& row,
             const DisplayList& list, std::vector<DisplayMark>& out)
        : m_report(scene.shown.report(row.track.report)), m_picks(picks), m_row(row), m_list(list),
          m_out(out), m_visible(scene.alignment.map(row.track.report).traceFromAligned(list.visible)),
          m_scale(list.scale.onClock([&](TimeRange aligned) {
              return scene.alignment.map(row.track.report).traceFromAligned(aligned);
          }))
    {
    }

    void mark()
    {
        constexpr size_t kMaxEarlierSlices = 64; // long slices that began before the visible range
        size_t at = firstFrom(m_visible.begin);
        at -= std::min(at, kMaxEarlierSlices);
        int last = -1;
        while (at < m_picks.size()) {
            const TimeRange slice = m_report.slices.range(m_picks[at].slice);
            if (slice.begin >= m_visible.end) return;
            const bool isOnRow = m_report.slices.depth[m_picks[at].slice.value] == m_row.depth;
            if (!isOnRow || slice.end <= m_visible.begin) {
                ++at;
                continue;
            }
            const int left = std::max(0, m_scale.pixelOf(slice.begin));
            const int right =
                std::min(m_list.timeWidth(), std::max(left + kMinBoxWidth, m_scale.pixelOf(slice.end)));
            if (right > last && right > left) {
                const int x = m_list.headerWidth + std::max(left, last);
                m_out.push_back(
                    {x, m_row.y, m_list.headerWidth + right - x, m_row.height, false, m_picks[at]});
            }
            last = std::max(last, right);
            // Slices that begin in these pixels share the outline, except the last, which may be long.
            const size_t next = firstFrom(m_scale.startOf(left + 1));
            at = next > at + 2 ? next - 1 : at + 1;
        }
    }

  private:
    size_t firstFrom(TraceTime time) const
    {
        const auto startOf = [&](const SliceRef& pick) { return m_report.slices.start(pick.slice); };
        return static_cast<size_t>(std::ranges::lower_bound(m_picks, time, {}, startOf) - m_picks.begin());
    }

    const Report& m_report;
    std::span<const SliceRef> m_picks;
    const DisplayRow& m_row;
    const DisplayList& m_list;
    std::vector<DisplayMark>& m_out;
    TimeRange m_visible; // on the report's clock
    PixelScale m_scale;
};

} // namespace

void layOutAreas(const Scene& scene, const FrameView& view, DisplayList& list)
{
    list.isDimmed = !view.selection.areas.empty();
    const PixelScale& scale = list.scale;
    for (const Area& area : view.selection.areas) {
        const ShownLanes taken(*scene.tree, area, list);
        const int left = list.headerWidth + scale.pixelOf(area.range.begin);
        const int right = list.headerWidth + scale.pixelOf(area.range.end);
        const bool isVisible = area.range.overlaps(view.visible);
        DisplayArea* open = nullptr; // the frame that contains the lane above this one
        for (DisplayLane& lane : list.lanes) {
            if (!taken.contains(lane)) {
                open = nullptr;
                continue;
            }
            lane.isInArea = true;
            if (!isVisible) continue;
            if (open != nullptr && open->isPinned == lane.isPinned) {
                open->height = lane.y + lane.height - open->y;
                continue;
            }
            list.areas.push_back({left, lane.y, std::max(1, right - left), lane.height, lane.isPinned});
            open = &list.areas.back();
        }
    }
}

namespace {

void layOutSlicesOf(const Scene& scene, const std::vector<SliceRef>& picks, bool isOnSummaries,
                    const DisplayList& list, std::vector<DisplayMark>& out)
{
    for (const DisplayRow& row : list.rows) {
        if (row.isSummary && !isOnSummaries) continue;
        if (!scene.shown.has(row.track.report) || !row.track.track.isValid()) continue;
        const Track& track = scene.shown.report(row.track.report).track(row.track.track);
        const SliceRef first{row.track.report, track.firstSlice};
        const SliceRef last{row.track.report, SliceId(track.firstSlice.value + track.sliceCount)};
        const auto begin = std::ranges::lower_bound(picks, first),
                   end = std::lower_bound(begin, picks.end(), last);
        if (begin != end) RowPicks(scene, {begin, end}, row, list, out).mark();
    }
}

} // namespace

void layOutPicks(const Scene& scene, const FrameView& view, DisplayList& list)
{
    for (const SliceList& picks : {view.selection.slices, view.selection.served}) {
        if (picks != nullptr) layOutSlicesOf(scene, *picks, false, list, list.marks);
    }
}

void layOutHighlights(const Scene& scene, const FrameView& view, DisplayList& list)
{
    list.isHighlighted = view.highlighted != nullptr;
    if (list.isHighlighted) layOutSlicesOf(scene, *view.highlighted, true, list, list.highlighted);
}

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

constexpr size_t kMaxLinks = 64;

// Returns the links of a slice, at most kMaxLinks: first those in which it is the cause, then those in which
// it is the effect.
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

} // namespace

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
    const std::span<const SliceRef> served =
        view.selection.served == nullptr ? std::span<const SliceRef>() : *view.selection.served;
    for (const DisplayRow& row : list.rows)
        row.kind->outline(scene, row, selected, served, list);
    mark(scene, view, selected, true, list);
    markProjections(selected, view, list);
}

} // namespace lockstep
