// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/area_layout.h"

#include <algorithm>
#include <set>
#include <unordered_map>

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
    if (view.selection.slices != nullptr)
        layOutSlicesOf(scene, *view.selection.slices, false, list, list.marks);
}

void layOutHighlights(const Scene& scene, const FrameView& view, DisplayList& list)
{
    list.isHighlighted = view.highlighted != nullptr;
    if (list.isHighlighted) layOutSlicesOf(scene, *view.highlighted, true, list, list.highlighted);
}

} // namespace lockstep
