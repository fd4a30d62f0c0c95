// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_tool.h"

#include <algorithm>
#include <array>

#include <QPushButton>

#include "core/base/text.h"
#include "core/search/same_name.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_order.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_menu.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr double kMinHeader = 120, kMaxHeader = 700;

} // namespace

LaneTool::LaneTool(TimelineContext& context)
    : m_context(context), m_state(context.state), m_orderButton(new LaneOrderButton(context.ruler)),
      m_lanesChip(makeChip("hiddenLanes", CommandId::showHiddenLanes)),
      m_namesChip(makeChip("hiddenNames", CommandId::showHiddenNames))
{
    connectOrder();
    addCommands();
}

void LaneTool::addCommands()
{
    using Id = CommandId;
    on(Id::laneAbove, [this] { moveFocus(-1); });
    on(Id::laneBelow, [this] { moveFocus(1); });
    on(Id::pageUp, [this] { scrollByHalfPages(-1); });
    on(Id::pageDown, [this] { scrollByHalfPages(1); });
    on(Id::toggleLane, [this] {
        if (!hasFocused()) return false;
        toggleFold(m_state.focusedLane);
        return true;
    });
    on(Id::pinLane, [this] { pinFocused(); });
    on(Id::moveLaneUp, [this] { moveFocused(-1); });
    on(Id::moveLaneDown, [this] { moveFocused(1); });
    on(Id::hideOtherLanes, [this] { showOnlyFocused(); });
    on(Id::showHiddenLanes, [this] { editLanes([](LaneState& lanes) { lanes.hidden.clear(); }); });
    on(Id::showHiddenNames, [this] { editLanes([](LaneState& lanes) { lanes.hiddenNames.clear(); }); });
    on(Id::collapseAll, [this] { foldAll(true); });
    on(Id::expandAll, [this] { foldAll(false); });
    on(Id::groupLanes, [this] { m_orderButton->showMenu(); });
    on(Id::contextMenu, [this] { openMenuOfFocused(); });
    on(Id::cycleRowHeight, [this] {
        const auto next = std::ranges::upper_bound(kRowHeights, laneState().rowHeight);
        chooseRowHeight(next == kRowHeights.end() ? kRowHeights.front() : *next);
    });
}

void LaneTool::connectOrder()
{
    connect(m_orderButton, &LaneOrderButton::groupingChosen, this, [this](LaneGrouping grouping) {
        editLanes([&](LaneState& lanes) { lanes.grouping = grouping; });
    });
    connect(m_orderButton, &LaneOrderButton::sortChosen, this,
            [this](LaneSort sort) { editLanes([&](LaneState& lanes) { lanes.sort = sort; }); });
    connect(m_orderButton, &LaneOrderButton::rowHeightChosen, this, &LaneTool::chooseRowHeight);
    showOrder();
}

QPushButton* LaneTool::makeChip(const char* name, CommandId command)
{
    auto* const chip = new QPushButton(m_context.ruler);
    chip->setObjectName(name);
    chip->setProperty("toggle", true);
    chip->setFocusPolicy(Qt::NoFocus); // the command has a key
    chip->hide();
    connect(chip, &QPushButton::clicked, this, [this, command] { m_context.tools.run(command); });
    return chip;
}

bool LaneTool::setFilter(const QString& regex)
{
    auto filter = LaneFilter::make(regex.toStdString());
    if (!filter) return false;
    m_state.setFilter(*std::move(filter));
    m_filter = regex;
    m_context.refreshLanes();
    return true;
}

void LaneTool::setLaneState(const LaneState& state)
{
    const bool areNamesNew = state.hiddenNames != laneState().hiddenNames;
    const bool areLanesNew = state.hidden != laneState().hidden;
    if (state != laneState()) m_context.card->hide(); // the lane under the mouse may be another one
    m_state.setLaneState(state);
    m_context.refreshLanes();
    showOrder();
    if (areNamesNew) showHiddenNames();
    if (areLanesNew) showHiddenLanes();
}

void LaneTool::editLanes(const std::function<void(LaneState&)>& edit)
{
    const LaneState before = laneState();
    LaneState state = before;
    edit(state);
    setLaneState(state);
    finishEdit(before);
}

void LaneTool::finishEdit(const LaneState& before)
{
    const LaneState after = laneState(); // a slot may change the lane state again
    if (after != before) emit lanesEdited(before, after);
    emit laneStateChanged();
}

void LaneTool::showLane(const QString& key)
{
    const uint32_t lane = m_state.tree().find(key.toStdString());
    if (lane == kNoLane) return;
    LaneState state = laneState();
    state.reveal(m_state.tree(), lane, true);
    m_state.setLaneState(std::move(state));
    m_context.refreshLanes();
    m_state.focusedLane = lane;
    m_state.isLaneFound = true;
    m_context.scrollToLane(lane);
    m_context.canvas->refresh();
}

uint32_t LaneTool::laneOf(SliceRef slice) const
{
    if (!m_state.scene().holds(slice)) return kNoLane;
    return m_state.tree().laneOf(
        {slice.report, m_state.scene().shown.report(slice.report).trackOf(slice.slice)});
}

bool LaneTool::isPinned(uint32_t lane) const
{
    bool isPinned = false;
    if (lane != kNoLane) m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    return isPinned;
}

void LaneTool::togglePinned(uint32_t lane)
{
    if (lane == kNoLane) return;
    editLanes([&](LaneState& lanes) { lanes.pin(m_state.tree(), lane, !isPinned(lane)); });
}

void LaneTool::pinFocused()
{
    togglePinned(hasFocused() ? m_state.focusedLane : laneOf(m_context.view.slice()));
}

void LaneTool::toggleFold(uint32_t lane)
{
    const Lane& of = m_state.tree().lane(lane);
    editLanes([&](LaneState& lanes) { lanes.fold(of, !lanes.isCollapsed(of)); });
}

bool LaneTool::activate(const Hit& hit)
{
    LaneState state = laneState();
    if (hit.kind == nullptr || !hit.kind->press(m_state.scene(), hit, state)) return false;
    editLanes([&](LaneState& lanes) { lanes = state; });
    const uint32_t target = hit.kind->targetOf(hit);
    if (target == kNoLane) return true;
    m_state.focusedLane = target;
    m_context.scrollToLane(target);
    m_context.canvas->refresh();
    return true;
}

void LaneTool::moveFocus(int by)
{
    std::vector<PlacedLane> shown = m_state.flow().pinned;
    const size_t pinned = shown.size();
    shown.insert(shown.end(), m_state.flow().scrolling.begin(), m_state.flow().scrolling.end());
    if (shown.empty()) return;
    const auto found = std::ranges::find(shown, m_state.focusedLane, &PlacedLane::lane);
    const ptrdiff_t at = found == shown.end() ? (by > 0 ? -1 : 1) : found - shown.begin();
    const auto next =
        static_cast<size_t>(std::clamp<ptrdiff_t>(at + by, 0, static_cast<ptrdiff_t>(shown.size()) - 1));
    // The card may still describe the previous rank.
    if (m_state.focusedLane != shown[next].lane) m_context.card->hide();
    m_state.focusedLane = shown[next].lane;
    m_state.isLaneFound = false;
    if (next >= pinned) m_context.scrollToLane(m_state.focusedLane);
    m_context.canvas->refresh();
    announceFocus(m_context.owner);
}

void LaneTool::scrollByHalfPages(int by)
{
    m_context.scrollTo(m_state.scroll + by * (m_context.canvas->deviceSize().height / 2));
}

void LaneTool::moveFocused(int by)
{
    if (!hasFocused()) return;
    editLanes([&](LaneState& state) { moveLaneBy(m_state.scene(), state, m_state.focusedLane, by); });
    m_context.scrollToLane(m_state.focusedLane);
}

// A second press shows the lanes that the first press hid.
void LaneTool::showOnlyFocused()
{
    if (m_isolation && laneState().hidden == m_isolation->after) {
        const Isolation last = *std::exchange(m_isolation, std::nullopt);
        editLanes([&](LaneState& state) { state.hidden = last.before; });
        m_context.scrollToLane(m_state.focusedLane);
        return m_context.notices.post(tr("The other lanes are shown again."));
    }
    if (!hasFocused()) return;
    const std::set<std::string> before = laneState().hidden;
    editLanes([&](LaneState& state) { state.hideOthers(m_state.tree(), m_state.focusedLane); });
    m_isolation = Isolation{before, laneState().hidden};
    m_context.scrollTo(0);
    m_context.notices.post(tr("Only this lane is shown. Press %1 again to show the others.")
                               .arg(keyInText(m_context.keys.shown(CommandId::hideOtherLanes))));
}

void LaneTool::foldAll(bool areFolded)
{
    editLanes([&](LaneState& lanes) {
        for (uint32_t lane = 0; lane < m_state.tree().size(); ++lane) {
            if (m_state.tree().parentOf(lane) == kNoLane) lanes.foldAllUnder(m_state.tree(), lane, areFolded);
        }
    });
    m_context.scrollToLane(m_state.focusedLane);
}

// The whole drag is one undo step.
void LaneTool::dragRowHeight(const std::string& lane, int height, bool isFinal)
{
    if (!m_beforeEdgeDrag) m_beforeEdgeDrag = laneState();
    LaneState state = *m_beforeEdgeDrag;
    const uint32_t at = m_state.tree().find(lane);
    if (at != kNoLane && height > 0) state.setRowHeight(m_state.tree().lane(at), height);
    setLaneState(state);
    if (isFinal) finishEdit(*std::exchange(m_beforeEdgeDrag, std::nullopt));
}

void LaneTool::resetRowHeight(const std::string& lane)
{
    editLanes([&](LaneState& lanes) { lanes.heights.erase(lane); });
}

void LaneTool::chooseRowHeight(int height)
{
    editLanes([&](LaneState& lanes) { lanes.setRowHeights(height); });
    const std::array texts{tr("Row height: compact"), tr("Row height: normal"), tr("Row height: tall")};
    const auto found = std::ranges::find(kRowHeights, height);
    if (found != kRowHeights.end())
        m_context.notices.post(texts[static_cast<size_t>(found - kRowHeights.begin())]);
}

void LaneTool::dropLane(const std::string& moved, const std::string& over)
{
    const LaneTree& tree = m_state.tree();
    const uint32_t lane = tree.find(moved);
    uint32_t onto = tree.find(over);
    if (lane == kNoLane || onto == kNoLane) return;
    while (onto != kNoLane && tree.parentOf(onto) != tree.parentOf(lane))
        onto = tree.parentOf(onto);
    if (onto == lane) return;
    if (onto == kNoLane) return m_context.notices.post(tr("A lane can be moved only within its group"));
    const std::vector<uint32_t> lanes = LaneOrder(m_state.scene(), laneState()).below(tree.parentOf(lane));
    const auto from = std::ranges::find(lanes, lane), to = std::ranges::find(lanes, onto);
    // A lane that is dragged downward is inserted after the lane on which it is dropped.
    const uint32_t before = to < from ? onto : to + 1 < lanes.end() ? *(to + 1) : kNoLane;
    editLanes([&](LaneState& state) { moveLane(m_state.scene(), state, lane, before); });
}

void LaneTool::setHeaderWidth(double atScaleOne)
{
    const double width = std::clamp(atScaleOne, kMinHeader, kMaxHeader);
    if (width == m_state.headerWidth) return;
    m_state.headerWidth = width;
    m_context.minimap->refresh();
    m_context.refresh();
    emit headerWidthChanged(width);
}

bool LaneTool::openMenu(const Hit& hit, QPoint global)
{
    if (!hit.isInHeader()) return false;
    m_state.focusedLane = hit.lane;
    m_context.canvas->refresh();
    (new LaneMenu(m_context, *this, hit.lane))->popup(global);
    return true;
}

// Opens the menu of the current lane at the position at which a right click would open it.
void LaneTool::openMenuOfFocused()
{
    m_context.card->hide();
    for (const DisplayLane& lane : m_context.canvas->displayList().lanes) {
        if (lane.lane != m_state.focusedLane) continue;
        const QPoint at = m_context.onScreen(lane.indent, lane.y + std::min(lane.height, 20));
        return (new LaneMenu(m_context, *this, lane.lane))->popup(at);
    }
    m_context.notices.post(tr("Nothing selected. Click a slice, or select a lane with Up and Down."));
}

void LaneTool::showOrder()
{
    m_orderButton->showOrder(laneState().grouping, laneState().sort);
    m_orderButton->showRowHeight(laneState().rowHeight);
    m_orderButton->move(std::max(2, m_orderButton->fontMetrics().height() / 3),
                        std::max(0, (m_context.ruler->sizeHint().height() - m_orderButton->height()) / 2));
}

void LaneTool::showChips()
{
    showHiddenNames();
    showHiddenLanes();
}

void LaneTool::showHiddenLanes()
{
    int count = 0;
    for (uint32_t lane = 0; lane < m_state.tree().size() && !laneState().hidden.empty(); ++lane)
        count += laneState().isHidden(m_state.tree().lane(lane)) ? 1 : 0;
    m_lanesChip->setText(tr("%n lane(s) hidden", nullptr, count));
    m_lanesChip->setToolTip(
        tr("Tables and analyses still count the hidden lanes. Click here or press %1 to show them.")
            .arg(m_context.keys.shown(CommandId::showHiddenLanes)));
    m_lanesChip->setAccessibleDescription(m_lanesChip->toolTip());
    m_lanesChip->setVisible(count > 0);
    placeChips();
}

// Hidden names that do not occur in visible slices stay in the state, because another report may contain
// them, but they are not shown.
void LaneTool::showHiddenNames()
{
    QStringList names;
    uint64_t slices = 0;
    for (const std::string& name : laneState().hiddenNames) {
        const uint64_t count = countNamed(m_state.scene(), {name});
        slices += count;
        if (count > 0) names << QString::fromStdString(name);
    }
    m_namesChip->setText(tr("%n name(s) hidden", nullptr, static_cast<int>(names.size())));
    m_namesChip->setToolTip(
        tr("Slices hidden in the lanes: %1. Tables, busy rows, collapsed groups and search hits still "
           "count them. Click here or press %2 to show them:")
            .arg(QString::fromStdString(groupedText(static_cast<int64_t>(slices))),
                 m_context.keys.shown(CommandId::showHiddenNames)) +
        '\n' + names.mid(0, 20).join('\n'));
    m_namesChip->setAccessibleDescription(m_namesChip->toolTip());
    m_namesChip->setVisible(!names.isEmpty());
    placeChips();
    if (names == m_hiddenNames) return;
    m_hiddenNames = names;
    emit hiddenNamesChanged(names);
}

// Places the visible chips to the right of the button for grouping.
void LaneTool::placeChips()
{
    showOrder();
    int left = m_orderButton->geometry().right() + scaledPixels(8);
    for (QPushButton* const chip : {m_lanesChip, m_namesChip}) {
        if (chip->isHidden()) continue;
        chip->adjustSize();
        chip->move(left, std::max(0, (m_context.ruler->sizeHint().height() - chip->height()) / 2));
        left += chip->width() + scaledPixels(4);
    }
}

} // namespace lockstep
