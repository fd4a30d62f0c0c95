// SPDX-License-Identifier: Apache-2.0
// TimelineView: grouping, sorting and moving lanes, and their row heights.
#include <algorithm>
#include <array>

#include <QMenu>

#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_order.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"

namespace lockstep {

void TimelineView::connectOrder()
{
    m_orderButton = new LaneOrderButton(m_ruler);
    connect(m_orderButton, &LaneOrderButton::groupingChosen, this, [this](LaneGrouping grouping) {
        editLanes([&](LaneState& lanes) { lanes.grouping = grouping; });
    });
    connect(m_orderButton, &LaneOrderButton::sortChosen, this,
            [this](LaneSort sort) { editLanes([&](LaneState& lanes) { lanes.sort = sort; }); });
    connect(m_orderButton, &LaneOrderButton::rowHeightChosen, this, &TimelineView::chooseRowHeight);
    connect(m_canvas, &TimelineCanvas::laneDropped, this, &TimelineView::dropLane);
    connect(m_canvas, &TimelineCanvas::rowHeightDragged, this, &TimelineView::dragRowHeight);
    connect(m_canvas, &TimelineCanvas::rowHeightDropped, this, [this](const std::string& lane) {
        editLanes([&](LaneState& lanes) { lanes.heights.erase(lane); });
    });
    showOrder();
}

void TimelineView::showOrder()
{
    m_orderButton->showOrder(m_state.laneState().grouping, m_state.laneState().sort);
    m_orderButton->showRowHeight(m_state.laneState().rowHeight);
    m_orderButton->move(std::max(2, m_orderButton->fontMetrics().height() / 3),
                        std::max(0, (m_ruler->sizeHint().height() - m_orderButton->height()) / 2));
}

// The whole drag is one undo step.
void TimelineView::dragRowHeight(const std::string& lane, int height, bool isFinal)
{
    if (!m_lanesBeforeEdgeDrag) m_lanesBeforeEdgeDrag = m_state.laneState();
    LaneState state = *m_lanesBeforeEdgeDrag;
    const uint32_t at = m_state.tree().find(lane);
    if (at != kNoLane && height > 0) state.setRowHeight(m_state.tree().lane(at), height);
    setLaneState(state);
    if (!isFinal) return;
    const LaneState before = *std::exchange(m_lanesBeforeEdgeDrag, std::nullopt);
    if (state != before) emit lanesEdited(before, state);
    emit laneStateChanged();
}

void TimelineView::chooseRowHeight(int height)
{
    editLanes([&](LaneState& lanes) { lanes.setRowHeights(height); });
    const std::array texts{tr("Row height: compact"), tr("Row height: normal"), tr("Row height: tall")};
    const auto found = std::ranges::find(kRowHeights, height);
    if (found != kRowHeights.end()) m_notices.post(texts[static_cast<size_t>(found - kRowHeights.begin())]);
}

// Adds the choice of the row height to the menu of the lane with this key.
void TimelineView::addRowHeights(QMenu& menu, const std::string& lane)
{
    const uint32_t at = m_state.tree().find(lane);
    bool isPinned = false;
    const PlacedLane* const placed = m_state.flow().placeOf(m_state.tree(), at, &isPinned);
    if (placed == nullptr || placed->lane != at || !placed->kind->hasRows()) return;
    QMenu* const heights = menu.addMenu(tr("Row height"));
    const std::array words{tr("Compact"), tr("Normal"), tr("Tall")};
    for (size_t i = 0; i < kRowHeights.size(); ++i) {
        QAction* const action = heights->addAction(
            words[i], this, [this, lane, i] { dragRowHeight(lane, kRowHeights[i], true); });
        action->setCheckable(true);
        action->setChecked(m_state.laneState().rowHeightOf(m_state.tree().lane(at)) == kRowHeights[i]);
    }
    QAction* const usual = heights->addAction(tr("Same as all lanes"), this, [this, lane] {
        editLanes([&](LaneState& lanes) { lanes.heights.erase(lane); });
    });
    usual->setEnabled(m_state.laneState().heights.contains(lane));
}

void TimelineView::dropLane(const std::string& moved, const std::string& over)
{
    const LaneTree& tree = m_state.tree();
    const uint32_t lane = tree.find(moved);
    uint32_t onto = tree.find(over);
    if (lane == kNoLane || onto == kNoLane) return;
    while (onto != kNoLane && tree.parentOf(onto) != tree.parentOf(lane))
        onto = tree.parentOf(onto);
    if (onto == lane) return;
    if (onto == kNoLane) return m_notices.post(tr("A lane can be moved only within its group"));
    const std::vector<uint32_t> lanes =
        LaneOrder(m_state.scene(), m_state.laneState()).below(tree.parentOf(lane));
    const auto from = std::ranges::find(lanes, lane), to = std::ranges::find(lanes, onto);
    // A lane that is dragged downward is inserted after the lane on which it is dropped.
    const uint32_t before = to < from ? onto : to + 1 < lanes.end() ? *(to + 1) : kNoLane;
    editLanes([&](LaneState& state) { moveLane(m_state.scene(), state, lane, before); });
}

void TimelineView::moveFocusedLane(int by)
{
    if (m_state.focusedLane >= m_state.tree().size()) return;
    editLanes([&](LaneState& state) { moveLaneBy(m_state.scene(), state, m_state.focusedLane, by); });
    scrollToLane(m_state.focusedLane);
}

// Pressed again, shows the lanes that the first press has hidden.
void TimelineView::showOnlyFocusedLane()
{
    if (m_isolation && m_state.laneState().hidden == m_isolation->after) {
        const Isolation last = *std::exchange(m_isolation, std::nullopt);
        editLanes([&](LaneState& state) { state.hidden = last.before; });
        scrollToLane(m_state.focusedLane);
        return m_notices.post(tr("The other lanes are shown again."));
    }
    if (m_state.focusedLane >= m_state.tree().size()) return;
    const std::set<std::string> before = m_state.laneState().hidden;
    editLanes([&](LaneState& state) { state.hideOthers(m_state.tree(), m_state.focusedLane); });
    m_isolation = Isolation{before, m_state.laneState().hidden};
    scrollTo(0);
    m_notices.post(tr("Only this lane is shown. Press %1 again to show the others.")
                       .arg(m_keys.shown(CommandId::hideOtherLanes)));
}

void TimelineView::showHiddenLanes()
{
    editLanes([](LaneState& lanes) { lanes.hidden.clear(); });
}

void TimelineView::foldAll(bool areFolded)
{
    editLanes([&](LaneState& lanes) {
        for (uint32_t lane = 0; lane < m_state.tree().size(); ++lane) {
            if (m_state.tree().parentOf(lane) == kNoLane) lanes.foldAllUnder(m_state.tree(), lane, areFolded);
        }
    });
    scrollToLane(m_state.focusedLane);
}

void TimelineView::chooseNextRowHeight()
{
    const auto next = std::ranges::upper_bound(kRowHeights, m_state.laneState().rowHeight);
    chooseRowHeight(next == kRowHeights.end() ? kRowHeights.front() : *next);
}

} // namespace lockstep
