// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/scene/next_slice.h"
#include "core/search/served_batch.h"
#include "core/timeline/memory_pointing.h"
#include "ui/timeline/fold_painter.h"
#include "ui/timeline/timeline_font.h"
#include "ui/window/view_state.h"

namespace lockstep {

Selection TimelineState::setScene(ScenePtr scene)
{
    Selection next = selection();
    const bool wasEmpty = m_extent.isEmpty();
    const std::string focused = focusedLane < tree().size() ? tree().lane(focusedLane).key : std::string();
    const bool areLanesNew = scene->tree != m_scene->tree;
    const bool isLatenessNew = scene->lateness != m_scene->lateness;
    const auto before_ns = m_scene->alignment.utcAtZero_ns, now_ns = scene->alignment.utcAtZero_ns;
    if (before_ns && now_ns && *before_ns != *now_ns) moveAxis(next, {*before_ns - *now_ns});
    if (areLanesNew) m_laneState.follow(tree(), *scene->tree);
    if (areLanesNew) followLanes(next.areas, tree(), *scene->tree);
    next.slices = slicesIn(*scene);
    if (!scene->shown.hasSameReports(m_scene->shown)) highlighted = nullptr;
    next.slice = sliceInNext(*m_scene, *scene, next.slice);
    m_scene = std::move(scene);
    m_unmoved = nullptr;
    m_hidden = HiddenNames::make(*m_scene, m_laneState.hiddenNames);
    next.began = next.ended = {};
    m_peers = {};
    m_served = nullptr;
    m_extent = m_scene->extent();
    if (wasEmpty) {
        window = ViewWindow(m_extent);
        zoomHistory = {};
    } else {
        window.setBounds(bounds());
    }
    window.setBandPart(m_bandPart);
    window.setGaps(gapsOf(*m_scene->quiet, m_gapRule));
    if (areLanesNew) {
        focusedLane = focused.empty() ? kNoLane : tree().find(focused);
        m_matching = m_filter.shownLanes(tree());
    }
    if (areLanesNew || isLatenessNew) rebuildFlow();
    if (!memoryPlaceOf(*m_scene, next.block)) next.block = {};
    return next;
}

void TimelineState::setReach(TimeRange reach)
{
    m_reach = reach;
    window.setBounds(bounds());
}

void TimelineState::reachTo(TimeRange range)
{
    range.end = std::max(range.end, range.begin + Duration{1}); // instants have no length
    const TimeRange now = bounds();
    if (m_extent.isEmpty() || (range.begin >= now.begin && range.end <= now.end)) return;
    m_reachedTo = m_reachedTo.unitedWith(range);
    window.setBounds(bounds());
}

void TimelineState::undoReachTo()
{
    if (m_reachedTo.isEmpty()) return;
    m_reachedTo = {};
    window.setBounds(bounds());
}

// Moves all times after the zero of the axis changed, so that the view shows the same data.
void TimelineState::moveAxis(Selection& selection, Duration by)
{
    window.moveAxis(by);
    zoomHistory.moveAxis(by);
    if (!m_reachedTo.isEmpty()) m_reachedTo = {m_reachedTo.begin + by, m_reachedTo.end + by};
    if (selection.range) selection.range = TimeRange{selection.range->begin + by, selection.range->end + by};
    for (Area& area : selection.areas)
        area.range = {area.range.begin + by, area.range.end + by};
}

// Returns the selected slices whose reports are unchanged in the next scene.
SliceList TimelineState::slicesIn(const Scene& next) const
{
    const SliceList& selected = selection().slices;
    if (selected == nullptr) return nullptr;
    const auto stays = [&](ReportKey key) {
        return next.shown.has(key) && m_scene->shown.has(key) &&
               next.shown.shared(key) == m_scene->shown.shared(key);
    };
    if (std::ranges::all_of(*selected, stays, &SliceRef::report)) return selected;
    std::vector<SliceRef> slices;
    for (const SliceRef& slice : *selected) {
        const SliceRef now = stays(slice.report) ? slice : sliceInNext(*m_scene, next, slice);
        if (now.isValid()) slices.push_back(now);
    }
    return sliceListOf(std::move(slices));
}

const Selection& TimelineState::selection() const
{
    static const Selection kNone;
    return m_view == nullptr ? kNone : m_view->selection();
}

void TimelineState::findPeers()
{
    const SliceRef slice = selection().slice;
    m_peers = m_scene->holds(slice) ? peersOf(m_scene->shown, m_scene->alignment, slice) : CollectivePeers();
    const auto batch = servedBatch(*m_scene, slice);
    m_served = batch ? batch->slices : nullptr;
}

std::optional<TimeRange> selectedLife(const TimelineState& state)
{
    const BlockRef& block = state.selection().block;
    if (const auto place = memoryPlaceOf(state.scene(), block)) return lifeOf(*place, block.life);
    return rangeOf(state.scene(), state.selection().slice);
}

void TimelineState::previewShift(const std::vector<ReportKey>& reports, Duration by)
{
    if (m_unmoved == nullptr) m_unmoved = m_scene;
    if (by == Duration{}) {
        m_scene = std::exchange(m_unmoved, nullptr);
        return;
    }
    auto moved = std::make_shared<Scene>(*m_unmoved);
    // A new generation distinguishes frames of the preview from frames of the scene and of other previews.
    moved->generation += ++m_previews << 32;
    for (const ReportKey report : reports)
        moved->alignment.maps[report].offset_ns += by.ns;
    m_scene = std::move(moved);
}

std::vector<ReportKey> reportsUnder(const LaneTree& tree, uint32_t lane)
{
    std::vector<ReportKey> out;
    std::vector<uint32_t> pending{lane};
    while (!pending.empty()) {
        const uint32_t index = pending.back();
        pending.pop_back();
        if (index >= tree.size()) continue;
        const Lane& at = tree.lane(index);
        if (at.report.isValid()) out.push_back(at.report);
        for (const RowSource& source : at.sources)
            out.push_back(source.report);
        for (const uint32_t child : tree.childrenOf(index))
            pending.push_back(child);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void TimelineState::setLaneState(LaneState state)
{
    const bool areNamesNew = state.hiddenNames != m_laneState.hiddenNames;
    m_laneState = std::move(state);
    if (areNamesNew) m_hidden = HiddenNames::make(*m_scene, m_laneState.hiddenNames);
    rebuildFlow();
}

void TimelineState::setFilter(LaneFilter filter)
{
    m_filter = std::move(filter);
    m_matching = m_filter.shownLanes(tree());
    rebuildFlow();
}

void TimelineState::setScale(double scale)
{
    if (scale == m_scale) return;
    const double ratio = m_scale > 0 ? scale / m_scale : 1;
    m_scale = scale;
    m_font = labelFontOf(timelineFont(scale));
    scroll = static_cast<int>(scroll * ratio);
    rebuildFlow();
}

void TimelineState::setViewHeight(int height)
{
    constexpr int kReservedHeight = 150; // px at scale 1 for the lanes above the map and for expanded ranks
    constexpr int kMin = 160, kMax = 512;
    const int map =
        std::clamp(static_cast<int>(height / (m_scale > 0 ? m_scale : 1)) - kReservedHeight, kMin, kMax);
    if (map == m_mapHeight) return;
    m_mapHeight = map;
    const auto isMap = [](const PlacedLane& lane) { return lane.map != nullptr; };
    if (std::ranges::any_of(m_flow.scrolling, isMap) || std::ranges::any_of(m_flow.pinned, isMap))
        rebuildFlow();
}

void TimelineState::setViewWidth(int width)
{
    const int times = std::max(1, width - px(headerWidth));
    m_bandPart = static_cast<double>(px(kFoldWidth)) / times;
    window.setBandPart(m_bandPart);
}

void TimelineState::setGapRule(const GapRule& rule)
{
    m_gapRule = rule;
    window.setGaps(gapsOf(*m_scene->quiet, m_gapRule));
}

int TimelineState::px(double atScaleOne) const
{
    return static_cast<int>(std::lround(atScaleOne * (m_scale > 0 ? m_scale : 1)));
}

std::shared_ptr<const RankMap> focusedMap(const TimelineState& state)
{
    if (state.focusedLane >= state.tree().size()) return nullptr;
    bool isPinned = false;
    const PlacedLane* const placed = state.flow().placeOf(state.tree(), state.focusedLane, &isPinned);
    return placed != nullptr && placed->lane == state.focusedLane ? placed->map : nullptr;
}

std::optional<uint32_t> markedRank(const TimelineState& state)
{
    const auto map = focusedMap(state);
    const LaneTree& tree = state.tree();
    const MarkedRank& marked = state.marked;
    if (map == nullptr || marked.map != tree.lane(state.focusedLane).key) return std::nullopt;
    const auto isMarked = [&](const RankMap::Rank& rank) {
        if (marked.process.empty()) return rank.lane == kNoLane && rank.number == marked.number;
        return rank.lane != kNoLane && tree.lane(rank.lane).key == marked.process;
    };
    const auto found = std::ranges::find_if(map->ranks(), isMarked);
    if (found == map->ranks().end()) return std::nullopt;
    return static_cast<uint32_t>(found - map->ranks().begin());
}

void TimelineState::markRank(uint32_t rank)
{
    const RankMap::Rank& one = focusedMap(*this)->ranks()[rank];
    marked = {tree().lane(focusedLane).key, one.lane == kNoLane ? std::string() : tree().lane(one.lane).key,
              one.number};
}

void TimelineState::rebuildFlow()
{
    const FrameMetrics metrics =
        FrameMetrics::at(m_scale > 0 ? m_scale : 1, m_laneState.rowHeight, m_mapHeight);
    m_flow = placeLanes(*m_scene, m_laneState, m_matching, metrics, &m_flow);
}

FrameView TimelineState::frameView(PixelSize size) const
{
    FrameView view;
    view.flow = &m_flow;
    view.font = &m_font;
    view.visible = window.visible();
    view.folds = &window.folds();
    view.size = size;
    view.headerWidth = std::min(px(headerWidth), size.width);
    view.scroll = scroll;
    view.selection = selection();
    view.selection.peers = m_peers.parts;
    view.selection.peersCause = m_peers.cause;
    view.selection.served = m_served;
    view.cursor = cursor;
    view.hits = hits;
    view.hidden = m_hidden;
    view.highlighted = highlighted;
    view.workers = workers;
    return view;
}

std::optional<TimeRange> rangeOf(const Scene& scene, SliceRef slice)
{
    if (!scene.holds(slice)) return std::nullopt;
    return scene.alignment.map(slice.report)
        .alignedFromTrace(scene.shown.report(slice.report).slices.range(slice.slice));
}

} // namespace lockstep
