// SPDX-License-Identifier: Apache-2.0
// TimelineView: the keyboard and the lane menu.
#include <algorithm>

#include <QKeyEvent>
#include <QMenu>

#include "core/base/text.h"
#include "core/timeline/slice_step.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr double kKeyZoom = 0.7;
constexpr double kKeyPan = 0.15; // fraction of the visible length

// Returns the next slice in the row that is not hidden.
SliceRef nextShown(const TimelineState& state, SliceRef slice, SliceRef (*next)(const Scene&, SliceRef))
{
    do
        slice = next(state.scene(), slice);
    while (slice.isValid() && state.hidden() != nullptr && state.hidden()->has(state.scene(), slice));
    return slice;
}

} // namespace

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    const auto command = m_keys.commandOf(event->keyCombination());
    if (!command || !run(*command)) QWidget::keyPressEvent(event);
}

std::span<const TimelineView::Handler> TimelineView::handlers()
{
    using enum CommandId;
    using View = TimelineView;
    static constexpr Handler kHandlers[] = {
        {zoomIn, [](View& v) { return v.zoomAt(v.zoomCentre(), kKeyZoom), true; }},
        {zoomOut, [](View& v) { return v.zoomAt(v.zoomCentre(), 1 / kKeyZoom), true; }},
        {panLeft, [](View& v) { return v.panBy(-v.keyPan(), true), true; }},
        {panRight, [](View& v) { return v.panBy(v.keyPan(), true), true; }},
        {fitSelection, [](View& v) { return v.fitSelection(), true; }},
        {fitAll, [](View& v) { return v.fitAll(), true; }},
        {undoZoom, [](View& v) { return v.undoZoom(), true; }},
        {redoZoom, [](View& v) { return v.redoZoom(), true; }},
        {toggleGaps, [](View& v) { return v.toggleGaps(), true; }},
        {cycleRulerTime, [](View& v) { return v.chooseRulerTime(v.m_ruler->nextTime()), true; }},
        {previousSlice, [](View& v) { return v.stepInLane(false), true; }},
        {nextSlice, [](View& v) { return v.stepInLane(true), true; }},
        {previousSameName, [](View& v) { return v.stepToSameName(sliceBefore), true; }},
        {nextSameName, [](View& v) { return v.stepToSameName(sliceAfter), true; }},
        {toCause, [](View& v) { return v.followFlow(firstCause), true; }},
        {toEffect, [](View& v) { return v.followFlow(firstEffect), true; }},
        {setMark, [](View& v) { return v.m_state.tape.second ? v.saveTape() : v.toggleMark(), true; }},
        {writeNote, [](View& v) { return v.writeNote(), true; }},
        {measure, [](View& v) { return v.setMeasuring(!v.m_state.tape.isOn), true; }},
        {laneAbove, [](View& v) { return v.moveFocus(-1), true; }},
        {laneBelow, [](View& v) { return v.moveFocus(1), true; }},
        {pageUp, [](View& v) { return v.scrollByHalfPages(-1), true; }},
        {pageDown, [](View& v) { return v.scrollByHalfPages(1), true; }},
        {toggleLane, [](View& v) { return v.openFocused(); }},
        {pinLane, [](View& v) { return v.pinFocused(), true; }},
        {moveLaneUp, [](View& v) { return v.moveFocusedLane(-1), true; }},
        {moveLaneDown, [](View& v) { return v.moveFocusedLane(1), true; }},
        {hideOtherLanes, [](View& v) { return v.showOnlyFocusedLane(), true; }},
        {showHiddenLanes, [](View& v) { return v.showHiddenLanes(), true; }},
        {collapseAll, [](View& v) { return v.foldAll(true), true; }},
        {expandAll, [](View& v) { return v.foldAll(false), true; }},
        {groupLanes, [](View& v) { return v.m_orderButton->showMenu(), true; }},
        {cycleRowHeight, [](View& v) { return v.chooseNextRowHeight(), true; }},
        {contextMenu, [](View& v) { return v.openMenuByKey(), true; }},
        {cancel, [](View& v) { return v.cancel(); }},
    };
    return kHandlers;
}

bool TimelineView::canRun(CommandId command)
{
    return std::ranges::find(handlers(), command, &Handler::command) != handlers().end() ||
           commandSpec(command).slice != SliceGroup::none;
}

bool TimelineView::run(CommandId command)
{
    const auto found = std::ranges::find(handlers(), command, &Handler::command);
    if (found != handlers().end()) return found->run(*this);
    if (commandSpec(command).slice != SliceGroup::none)
        m_sliceCommands->run(command);
    else
        emit commandRequested(command);
    return true;
}

Duration TimelineView::keyPan() const
{
    const auto length = static_cast<double>(goalWindow().lengthOnAxis().ns);
    return Duration{static_cast<int64_t>(length * kKeyPan)};
}

void TimelineView::stepInLane(bool isForward)
{
    if (m_state.tape.isOn) return moveTapeEnd(isForward);
    const SliceRef selected = m_view.slice();
    if (m_state.scene().holds(selected))
        step(nextShown(m_state, selected, isForward ? sliceAfter : sliceBefore));
}

void TimelineView::stepToSameName(SliceRef (*next)(const Scene&, SliceRef))
{
    constexpr int kMaxSteps = 1'000'000; // takes well below a second
    const SliceRef selected = m_view.slice();
    if (!m_state.scene().holds(selected)) return m_notices.post(tr("No slice selected. Click one first."));
    const Workspace& reports = m_state.scene().shown;
    const auto nameOf = [&](SliceRef slice) { return reports.report(slice.report).nameOf(slice.slice); };
    SliceRef slice = selected;
    for (int steps = 0; steps < kMaxSteps; ++steps) {
        slice = nextShown(m_state, slice, next);
        if (!slice.isValid()) return m_notices.post(tr("No other slice with this name in that direction"));
        if (nameOf(slice) == nameOf(selected)) return step(slice);
    }
    m_notices.post(tr("No slice with this name among the next %1").arg(groupedText(kMaxSteps).c_str()));
}

void TimelineView::followFlow(SliceRef (*next)(const Workspace&, SliceRef))
{
    const SliceRef selected = m_view.slice();
    if (m_state.scene().holds(selected)) step(next(m_state.scene().shown, selected));
}

void TimelineView::moveFocus(int by)
{
    if (!moveMark(by)) focusLane(by);
}

void TimelineView::scrollByHalfPages(int by)
{
    scrollTo(m_state.scroll + by * (m_canvas->deviceSize().height / 2));
}

bool TimelineView::openFocused()
{
    if (m_state.focusedLane >= m_state.tree().size()) return false;
    if (!openMarked()) toggleFold(m_state.focusedLane);
    return true;
}

void TimelineView::pinFocused()
{
    const uint32_t ofSlice = laneOfSlice(m_view.slice());
    const uint32_t lane = m_state.focusedLane < m_state.tree().size() ? m_state.focusedLane : ofSlice;
    if (lane == kNoLane) return;
    bool isPinned = false;
    m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    editLanes([&](LaneState& lanes) { lanes.pin(m_state.tree(), lane, !isPinned); });
}

bool TimelineView::cancel()
{
    if (m_state.tape.isOn) {
        setMeasuring(false);
        return true;
    }
    if (m_canvas->cancelShift()) {
        cancelShift();
        return true;
    }
    return m_canvas->cancelLane() || cancelArea() || clearHighlight() || exitMap() || deselect();
}

// Returns the time under the mouse if the mouse is over the lanes, otherwise the middle of the selected
// slice, otherwise the middle of the view.
TraceTime TimelineView::zoomCentre() const
{
    if (m_state.cursor && m_view.visible().contains(*m_state.cursor)) return *m_state.cursor;
    const TraceTime middle = goalWindow().middle();
    const auto selected = m_state.rangeOf(m_view.slice());
    if (!selected) return middle;
    const TraceTime centre = selected->begin + Duration{selected->length().ns / 2};
    return m_view.visible().contains(centre) ? centre : middle;
}

void TimelineView::step(SliceRef next)
{
    if (next.isValid()) select(next, true);
}

void TimelineView::focusLane(int by)
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
    if (m_state.focusedLane != shown[next].lane) m_card->hide();
    m_state.focusedLane = shown[next].lane;
    m_state.isLaneFound = false;
    m_exitedMap = kNoLane;
    if (next >= pinned) scrollToLane(m_state.focusedLane);
    m_canvas->refresh();
    announceFocus(*this);
}

bool TimelineView::moveMark(int by)
{
    const auto map = m_state.focusedMap();
    if (map == nullptr || map->ranks().empty() || m_state.focusedLane == m_exitedMap) return false;
    const auto last = static_cast<int64_t>(map->ranks().size()) - 1;
    const auto marked = m_state.markedRank();
    const int64_t next = marked ? int64_t{*marked} + by : by > 0 ? 0 : last;
    if (next < 0 || next > last) return false;
    m_state.markRank(static_cast<uint32_t>(next));
    showMark();
    return true;
}

// The canvas draws the frame around the rank. The card names the rank and its activity at the time under the
// mouse, or in the middle of the view if the mouse is elsewhere.
void TimelineView::showMark()
{
    scrollToLane(m_state.focusedLane);
    m_canvas->refresh();
    const QPoint at = m_canvas->markPlace(zoomCentre());
    const QStringList lines = linesFor(m_canvas->markHit(zoomCentre()));
    m_card->showLines(lines, at, theme(), m_state.scale() / devicePixelRatioF());
    setAccessibleDescription(lines.value(0));
}

bool TimelineView::openMarked()
{
    const uint32_t map = m_state.focusedLane;
    if (!m_state.markedRank()) return false;
    if (!press(m_canvas->markHit(zoomCentre())))
        return true;           // no report of the rank is open; the card says so
    m_state.focusedLane = map; // the map stays current, so that Up and Down go to the next rank
    m_canvas->refresh();
    return true;
}

bool TimelineView::exitMap()
{
    if (!m_state.markedRank()) return false;
    m_exitedMap = m_state.focusedLane;
    m_state.marked = {};
    m_card->hide();
    setAccessibleDescription({});
    m_canvas->refresh();
    return true;
}

void TimelineView::showLaneMenu(uint32_t lane, QPoint global)
{
    const Lane& of = m_state.tree().lane(lane);
    m_state.focusedLane = lane;
    m_canvas->refresh();
    bool isPinned = false;
    m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto offer = [&](const QString& text, const std::function<void(LaneState&)>& edit) {
        menu->addAction(text, this, [this, edit] { editLanes(edit); });
    };
    // Lanes are identified by key, because the menu may outlive the lanes of the scene.
    const auto edit = [this, key = of.key](const auto& what) {
        return [this, key, what](LaneState& lanes) {
            const uint32_t at = m_state.tree().find(key);
            if (at != kNoLane) what(lanes, m_state.tree(), at);
        };
    };
    using Tree = const LaneTree&;
    offer(tr("Hide lane"),
          edit([](LaneState& lanes, Tree tree, uint32_t at) { lanes.hide(tree.lane(at), true); }));
    offer(tr("Show only this lane"),
          edit([](LaneState& lanes, Tree tree, uint32_t at) { lanes.hideOthers(tree, at); }));
    offer(isPinned ? tr("Unpin lane") : tr("Pin lane"),
          edit([isPinned](LaneState& lanes, Tree tree, uint32_t at) { lanes.pin(tree, at, !isPinned); }));
    addRowHeights(*menu, of.key);
    if (of.hasChildren) {
        menu->addSeparator();
        offer(tr("Expand all below"),
              edit([](LaneState& lanes, Tree tree, uint32_t at) { lanes.foldAllUnder(tree, at, false); }));
        offer(tr("Collapse all below"),
              edit([](LaneState& lanes, Tree tree, uint32_t at) { lanes.foldAllUnder(tree, at, true); }));
    }
    if (of.isRankMap()) addMapChoices(*menu);
    if (of.subject == LaneSubject::memory) addMemoryChoices(*menu);
    addHiddenLanes(*menu);
    menu->popup(global);
}

void TimelineView::addMemoryChoices(QMenu& menu)
{
    menu.addSeparator();
    for (const auto& [look, text] : {std::pair(MemoryLook::category, tr("Group memory by category")),
                                     std::pair(MemoryLook::stack, tr("Group memory by largest stacks"))}) {
        QAction* const action = menu.addAction(text, this, [this, chosen = look] {
            editLanes([chosen](LaneState& lanes) { lanes.memoryLook = chosen; });
        });
        action->setCheckable(true);
        action->setChecked(m_state.laneState().memoryLook == look);
    }
}

// Offers the choices of the chips above a rank map to keyboard users.
void TimelineView::addMapChoices(QMenu& menu)
{
    const auto add = [&](const QString& title, const auto& names, auto RankMapChoice::*part) {
        QMenu* const choices = menu.addMenu(title);
        for (size_t i = 0; i < names.size(); ++i) {
            using Part = std::remove_reference_t<decltype(RankMapChoice().*part)>;
            QAction* const action = choices->addAction(
                QString::fromUtf8(names[i].data(), static_cast<qsizetype>(names[i].size())), this,
                [this, part, i] {
                    editLanes([&](LaneState& lanes) { lanes.rankMap.*part = static_cast<Part>(i); });
                });
            action->setCheckable(true);
            action->setChecked(m_state.laneState().rankMap.*part == static_cast<Part>(i));
        }
    };
    menu.addSeparator();
    add(tr("Sort ranks by"), kRankOrderNames, &RankMapChoice::order);
    add(tr("Color ranks by"), kRankColorNames, &RankMapChoice::color);
}

void TimelineView::addHiddenLanes(QMenu& menu)
{
    QMenu* hidden = nullptr;
    for (uint32_t i = 0; i < m_state.tree().size(); ++i) {
        if (!m_state.laneState().isHidden(m_state.tree().lane(i))) continue;
        if (hidden == nullptr) {
            menu.addSeparator();
            hidden = menu.addMenu(tr("Show hidden lanes"));
            hidden->addAction(tr("All"), this,
                              [this] { editLanes([](LaneState& lanes) { lanes.hidden.clear(); }); });
            hidden->addSeparator();
        }
        hidden->addAction(QString::fromStdString(m_state.tree().pathOf(i)), this,
                          [this, key = m_state.tree().lane(i).key] {
                              editLanes([&](LaneState& lanes) { lanes.hidden.erase(key); });
                          });
    }
}

} // namespace lockstep
