// SPDX-License-Identifier: Apache-2.0
// TimelineView: selecting and deselecting ranges, areas and several slices.
#include <algorithm>

#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void TimelineView::selectRange(std::optional<TimeRange> range, ReportKey from, ReportKey to)
{
    if (range && range->isEmpty()) range.reset();
    Selection& selection = m_state.selection;
    const bool hadAreas = !selection.areas.empty();
    if (!hadAreas && range == selection.range && from == selection.began && to == selection.ended) return;
    selection.range = range;
    selection.areas.clear();
    selection.began = from;
    selection.ended = to;
    refresh();
    if (hadAreas) emit areasSelected();
    emit rangeSelected(range);
}

void TimelineView::selectAreas(std::vector<Area> areas, SliceList slices, ReportKey from, ReportKey to)
{
    std::erase_if(areas, [](const Area& area) { return area.range.isEmpty(); });
    Selection& selection = m_state.selection;
    const bool areSame = areas == selection.areas && from == selection.began && to == selection.ended;
    if (areSame && slices == selection.slices) return;
    const bool hadAreas = !selection.areas.empty();
    selection.areas = std::move(areas);
    selection.slices = std::move(slices);
    if (hadAreas || !selection.areas.empty()) {
        const TimeRange hull = hullOf(selection.areas);
        selection.range = hull.isEmpty() ? std::nullopt : std::optional(hull);
        selection.began = from;
        selection.ended = to;
    }
    refresh();
    const std::optional<TimeRange> range = selection.range;
    emit areasSelected();
    if (!areSame) emit rangeSelected(range);
}

void TimelineView::dragArea(Area area, ReportKey from, ReportKey to, bool isAdding, bool isFinal)
{
    setFocus(Qt::MouseFocusReason);
    if (!m_selectionBeforeDrag) m_selectionBeforeDrag = m_state.selection;
    std::vector<Area> areas = isAdding ? m_selectionBeforeDrag->areas : std::vector<Area>();
    const SliceList slices = isAdding ? m_selectionBeforeDrag->slices : nullptr;
    const bool isEmpty = area.range.isEmpty() || area.lanes.empty();
    if (!isEmpty) areas.push_back(std::move(area));
    if (areas.empty()) {
        selectRange(std::nullopt);
    } else {
        selectAreas(std::move(areas), slices, from, to);
    }
    if (!isFinal) return;
    m_selectionBeforeDrag.reset();
    if (!isEmpty) emit areaFinished();
}

// Returns the lanes on screen from `first` to `last`. Collapsed lanes include everything below them.
std::vector<AreaLane> TimelineView::lanesBetween(const std::string& first, const std::string& last) const
{
    std::vector<PlacedLane> shown = m_state.flow().pinned;
    shown.insert(shown.end(), m_state.flow().scrolling.begin(), m_state.flow().scrolling.end());
    const auto placeOf = [&](const std::string& key) {
        return std::ranges::find(shown, m_state.tree().find(key), &PlacedLane::lane);
    };
    auto from = placeOf(first), to = placeOf(last);
    if (from == shown.end() || to == shown.end()) return {};
    if (to < from) std::swap(from, to);
    std::vector<AreaLane> lanes;
    for (auto at = from; at <= to; ++at)
        lanes.push_back({m_state.tree().lane(at->lane).key, at->isCollapsed});
    return lanes;
}

void TimelineView::togglePick(const Hit& hit)
{
    setFocus(Qt::MouseFocusReason);
    if (!hit.slice.isValid()) return;
    std::vector<SliceRef> slices;
    if (m_state.selection.slices != nullptr) {
        slices = *m_state.selection.slices;
    } else if (m_state.scene().holds(m_state.selection.slice)) {
        slices = {m_state.selection.slice};
    }
    const size_t without = std::erase(slices, hit.slice);
    if (without == 0) slices.push_back(hit.slice);
    const SliceRef inFocus = slices.empty() ? SliceRef() : slices.back();
    const bool areSeveral = slices.size() > 1;
    selectAreas(m_state.selection.areas, areSeveral ? sliceListOf(std::move(slices)) : nullptr,
                m_state.selection.began, m_state.selection.ended);
    select(inFocus, false);
    emit areaFinished();
}

bool TimelineView::cancelArea()
{
    if (!m_canvas->cancelRange() || !m_selectionBeforeDrag) return false;
    const Selection before = *std::exchange(m_selectionBeforeDrag, std::nullopt);
    if (before.areas.empty()) selectRange(before.range, before.began, before.ended);
    selectAreas(before.areas, before.slices, before.began, before.ended);
    return true;
}

bool TimelineView::deselect()
{
    const Selection& selection = m_state.selection;
    if (selection.range || !selection.areas.empty()) {
        selectRange(std::nullopt);
    } else if (selection.slices != nullptr) {
        selectAreas({}, nullptr);
    } else if (selection.slice.isValid() || selection.block.isValid()) {
        select({}, false);
    } else {
        return false;
    }
    return true;
}

} // namespace lockstep
