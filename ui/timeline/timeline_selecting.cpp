// SPDX-License-Identifier: Apache-2.0
// TimelineView: selecting and deselecting ranges, areas and several slices.
#include <algorithm>

#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

namespace lockstep {

void TimelineView::dragArea(Area area, ReportKey from, ReportKey to, bool isAdding, bool isFinal)
{
    setFocus(Qt::MouseFocusReason);
    if (!m_selectionBeforeDrag) m_selectionBeforeDrag = m_view.selection();
    std::vector<Area> areas = isAdding ? m_selectionBeforeDrag->areas : std::vector<Area>();
    const SliceList slices = isAdding ? m_selectionBeforeDrag->slices : nullptr;
    const bool isEmpty = area.range.isEmpty() || area.lanes.empty();
    if (!isEmpty) areas.push_back(std::move(area));
    if (areas.empty()) {
        m_view.setRange(std::nullopt);
    } else {
        m_view.setAreas(std::move(areas), slices, from, to);
    }
    if (!isFinal) return;
    m_selectionBeforeDrag.reset();
    if (!isEmpty) m_view.finishArea();
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
    if (m_view.slices() != nullptr) {
        slices = *m_view.slices();
    } else if (m_state.scene().holds(m_view.slice())) {
        slices = {m_view.slice()};
    }
    const size_t without = std::erase(slices, hit.slice);
    if (without == 0) slices.push_back(hit.slice);
    const SliceRef inFocus = slices.empty() ? SliceRef() : slices.back();
    const bool areSeveral = slices.size() > 1;
    selectSlices(areSeveral ? sliceListOf(std::move(slices)) : nullptr);
    select(inFocus, false);
    m_view.finishArea();
}

bool TimelineView::cancelArea()
{
    if (!m_canvas->cancelRange() || !m_selectionBeforeDrag) return false;
    m_view.setSelection(*std::exchange(m_selectionBeforeDrag, std::nullopt));
    return true;
}

// Replaces the individually selected slices; the areas stay.
void TimelineView::selectSlices(SliceList slices)
{
    const Selection& selection = m_view.selection();
    m_view.setAreas(selection.areas, std::move(slices), selection.began, selection.ended);
}

bool TimelineView::deselect()
{
    const Selection& selection = m_view.selection();
    if (selection.range || !selection.areas.empty()) {
        m_view.setRange(std::nullopt);
    } else if (selection.slices != nullptr) {
        m_view.setAreas({}, nullptr);
    } else if (selection.slice.isValid() || selection.block.isValid()) {
        select({}, false);
    } else {
        return false;
    }
    return true;
}

} // namespace lockstep
