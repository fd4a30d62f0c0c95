// SPDX-License-Identifier: Apache-2.0
// TimelineView: the keyboard and the lane menu.
#include <algorithm>

#include <QKeyEvent>
#include <QMenu>

#include "core/timeline/slice_step.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/key_map.h"

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
    const auto meant = m_keys.meant(event->keyCombination());
    if (!meant || !pressKey(meant->key(), meant->keyboardModifiers())) QWidget::keyPressEvent(event);
}

void TimelineView::runCommand(const char* keys)
{
    const QKeyCombination first = keysFromText(keys).front()[0];
    setFocus(Qt::OtherFocusReason);
    pressKey(first.key(), first.keyboardModifiers());
}

bool TimelineView::pressKey(int key, Qt::KeyboardModifiers modifiers)
{
    if (pressOrderKey(key, modifiers) || pressZoomKey(key, modifiers) || pressSliceKey(key, modifiers))
        return true;
    if (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    if (pressMarkKey(key, modifiers) || pressLaneKey(key)) return true;
    const SliceRef selected = m_state.selection.slice;
    switch (key) {
    case Qt::Key_End:
        emit newestRequested();
        return true;
    case Qt::Key_Period:
        if (m_state.scene().holds(selected)) step(nextShown(m_state, selected, sliceAfter));
        return true;
    case Qt::Key_Comma:
        if (m_state.scene().holds(selected)) step(nextShown(m_state, selected, sliceBefore));
        return true;
    case Qt::Key_BracketRight:
        if (m_state.scene().holds(selected)) step(firstEffect(m_state.scene().shown, selected));
        return true;
    case Qt::Key_BracketLeft:
        if (m_state.scene().holds(selected)) step(firstCause(m_state.scene().shown, selected));
        return true;
    case Qt::Key_Escape:
        if (m_canvas->cancelShift()) {
            cancelShift();
            return true;
        }
        return m_canvas->cancelLane() || cancelArea() || clearHighlight() || exitMap() || deselect();
    default:
        return false;
    }
}

bool TimelineView::pressZoomKey(int key, Qt::KeyboardModifiers modifiers)
{
    const auto length = static_cast<double>(goalWindow().lengthOnAxis().ns);
    const Duration part{static_cast<int64_t>(length * kKeyPan)};
    if (modifiers & Qt::AltModifier) {
        if (key == Qt::Key_Left) undoZoom();
        if (key == Qt::Key_Right) redoZoom();
        return key == Qt::Key_Left || key == Qt::Key_Right;
    }
    if (modifiers & (Qt::ControlModifier | Qt::MetaModifier)) return false;
    switch (key) {
    case Qt::Key_W:
        zoomAt(zoomCentre(), kKeyZoom);
        return true;
    case Qt::Key_S:
        zoomAt(zoomCentre(), 1 / kKeyZoom);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        panBy(-part, true);
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        panBy(part, true);
        return true;
    case Qt::Key_F:
        fitSelection();
        return true;
    case Qt::Key_0:
        fitAll();
        return true;
    case Qt::Key_Backspace:
        undoZoom();
        return true;
    case Qt::Key_B:
        toggleGaps();
        return true;
    case Qt::Key_U:
        chooseRulerTime(m_ruler->nextTime());
        return true;
    default:
        return false;
    }
}

bool TimelineView::pressLaneKey(int key)
{
    switch (key) {
    case Qt::Key_Up:
        if (!moveMark(-1)) focusLane(-1);
        return true;
    case Qt::Key_Down:
        if (!moveMark(1)) focusLane(1);
        return true;
    case Qt::Key_PageUp:
        scrollTo(m_state.scroll - m_canvas->deviceSize().height / 2);
        return true;
    case Qt::Key_PageDown:
        scrollTo(m_state.scroll + m_canvas->deviceSize().height / 2);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_state.focusedLane >= m_state.tree().size()) return false;
        if (openMarked()) return true;
        toggleFold(m_state.focusedLane);
        return true;
    case Qt::Key_P: {
        const uint32_t ofSlice = laneOfSlice(m_state.selection.slice);
        const uint32_t lane = m_state.focusedLane < m_state.tree().size() ? m_state.focusedLane : ofSlice;
        if (lane == kNoLane) return true;
        bool isPinned = false;
        m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
        editLanes([&](LaneState& lanes) { lanes.pin(m_state.tree(), lane, !isPinned); });
        return true;
    }
    default:
        return false;
    }
}

// Returns the time under the mouse if the mouse is over the lanes, otherwise the middle of the selected
// slice, otherwise the middle of the view.
TraceTime TimelineView::zoomCentre() const
{
    if (m_hoverTime && m_goal.contains(*m_hoverTime)) return *m_hoverTime;
    const TraceTime middle = goalWindow().middle();
    const auto selected = m_state.rangeOf(m_state.selection.slice);
    if (!selected) return middle;
    const TraceTime centre = selected->begin + Duration{selected->length().ns / 2};
    return m_goal.contains(centre) ? centre : middle;
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
