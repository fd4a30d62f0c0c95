// SPDX-License-Identifier: Apache-2.0
// TimelineView: the slice menu and its keys, slices hidden by name, and highlighted slices.
#include <QPushButton>

#include "core/base/text.h"
#include "core/timeline/same_name.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

void TimelineView::connectSlices()
{
    m_sliceCommands = new SliceCommands(*this, m_state);
    connectOrder();
    const auto makeChip = [this](const char* name, CommandId command) {
        auto* const chip = new QPushButton(m_ruler);
        chip->setObjectName(name);
        chip->setProperty("toggle", true);
        chip->setFocusPolicy(Qt::NoFocus); // the command has a key
        chip->hide();
        connect(chip, &QPushButton::clicked, this, [this, command] { run(command); });
        return chip;
    };
    m_hiddenLanesChip = makeChip("hiddenLanes", CommandId::showHiddenLanes);
    m_hiddenChip = makeChip("hiddenNames", CommandId::showHiddenNames);
    connect(m_canvas, &TimelineCanvas::sliceMenuRequested, this,
            [this](SliceRef slice, uint32_t lane, QPoint global) {
                setFocus(Qt::MouseFocusReason);
                m_card->hide();
                m_state.focusedLane = lane;
                select(slice, false);
                m_sliceCommands->openMenu(global);
            });
}

// Opens the menu of the selected slice, otherwise of the selected lane, at the position at which a right
// click would open it.
void TimelineView::openMenuByKey()
{
    const auto at = [this](int x, int y) {
        const QPointF place(x / devicePixelRatioF(), y / devicePixelRatioF());
        return m_canvas->mapToGlobal(place.toPoint());
    };
    m_card->hide();
    if (m_state.scene().holds(m_view.slice())) {
        revealSlice(m_view.slice());
        const DisplayList& list = m_canvas->displayList();
        QPoint global = at(list.headerWidth, list.pinnedHeight);
        for (const DisplayMark& mark : list.marks) {
            if (mark.isSelected) global = at(mark.x + std::min(mark.width, 40) / 2, mark.y + mark.height);
        }
        return m_sliceCommands->openMenu(global);
    }
    for (const DisplayLane& lane : m_canvas->displayList().lanes) {
        if (lane.lane == m_state.focusedLane)
            return showLaneMenu(lane.lane, at(lane.indent, lane.y + std::min(lane.height, 20)));
    }
    m_notices.post(tr("Nothing selected. Click a slice, or select a lane with Up and Down."));
}

void TimelineView::setKeys(const TimelineKeyMap& keys)
{
    m_keys = keys;
    showHiddenNames();
    showHiddenLanesCount();
}

void TimelineView::light(SliceList slices)
{
    if (slices == m_state.highlighted) return;
    m_state.highlighted = std::move(slices);
    m_canvas->refresh();
}

bool TimelineView::clearHighlight()
{
    if (m_state.highlighted == nullptr) return false;
    light(nullptr);
    return true;
}

void TimelineView::zoomToSelected()
{
    const auto life = m_state.selectedLife();
    if (!life) return;
    const Duration margin{life->length().ns / 10 + 1};
    zoomTo({life->begin - margin, life->end + margin});
}

void TimelineView::pinLaneOf(SliceRef slice)
{
    const uint32_t lane = laneOfSlice(slice);
    if (lane == kNoLane) return;
    bool isPinned = false;
    m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    editLanes([&](LaneState& lanes) { lanes.pin(m_state.tree(), lane, !isPinned); });
}

void TimelineView::setLaneState(const LaneState& state)
{
    const bool areNamesNew = state.hiddenNames != m_state.laneState().hiddenNames;
    const bool areLanesNew = state.hidden != m_state.laneState().hidden;
    if (state != m_state.laneState()) m_card->hide(); // the lane under the mouse may be another one
    m_state.setLaneState(state);
    refreshLanes();
    showOrder();
    if (areNamesNew) showHiddenNames();
    if (areLanesNew) showHiddenLanesCount();
}

void TimelineView::showHiddenLanesCount()
{
    int count = 0;
    for (uint32_t lane = 0; lane < m_state.tree().size() && !m_state.laneState().hidden.empty(); ++lane)
        count += m_state.laneState().isHidden(m_state.tree().lane(lane)) ? 1 : 0;
    m_hiddenLanesChip->setText(tr("%n lane(s) hidden", nullptr, count));
    m_hiddenLanesChip->setToolTip(
        tr("Tables and analyses still count the hidden lanes. Click here or press %1 to show them.")
            .arg(m_keys.shown(CommandId::showHiddenLanes)));
    m_hiddenLanesChip->setAccessibleDescription(m_hiddenLanesChip->toolTip());
    m_hiddenLanesChip->setVisible(count > 0);
    placeChips();
}

// Places the visible chips to the right of the button for grouping.
void TimelineView::placeChips()
{
    showOrder();
    int left = m_orderButton->geometry().right() + scaledPixels(8);
    for (QPushButton* const chip : {m_hiddenLanesChip, m_hiddenChip}) {
        if (chip->isHidden()) continue;
        chip->adjustSize();
        chip->move(left, std::max(0, (m_ruler->sizeHint().height() - chip->height()) / 2));
        left += chip->width() + scaledPixels(4);
    }
}

// Hidden names that do not occur in visible slices stay in the state, because another report may contain
// them, but they are not shown.
void TimelineView::showHiddenNames()
{
    QStringList names;
    uint64_t slices = 0;
    for (const std::string& name : m_state.laneState().hiddenNames) {
        const uint64_t count = countNamed(m_state.scene(), {name});
        slices += count;
        if (count > 0) names << QString::fromStdString(name);
    }
    m_hiddenChip->setText(tr("%n name(s) hidden", nullptr, static_cast<int>(names.size())));
    m_hiddenChip->setToolTip(
        tr("Slices hidden in the lanes: %1. Tables, busy rows, collapsed groups and search hits still "
           "count them. Click here or press %2 to show them:")
            .arg(QString::fromStdString(groupedText(static_cast<int64_t>(slices))),
                 m_keys.shown(CommandId::showHiddenNames)) +
        '\n' + names.mid(0, 20).join('\n'));
    m_hiddenChip->setAccessibleDescription(m_hiddenChip->toolTip());
    m_hiddenChip->setVisible(!names.isEmpty());
    placeChips();
    if (names == m_hiddenNames) return;
    m_hiddenNames = names;
    emit hiddenNamesChanged(names);
}

} // namespace lockstep
