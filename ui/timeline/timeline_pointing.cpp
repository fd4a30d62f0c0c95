// SPDX-License-Identifier: Apache-2.0
// TimelineView: selecting slices and blocks, clicks and hovering.
#include <algorithm>
#include <utility>

#include "core/timeline/lane_kind.h"
#include "core/timeline/memory_pointing.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

void TimelineView::select(SliceRef slice, bool reveal)
{
    if (!m_state.scene().holds(slice)) slice = {};
    if (slice.isValid() && reveal) revealSlice(slice);
    if (!slice.isValid()) m_view.setBlock({});
    m_view.setSlice(slice);
}

uint32_t TimelineView::laneOfSlice(SliceRef slice) const
{
    if (!m_state.scene().holds(slice)) return kNoLane;
    return m_state.tree().laneOf(
        {slice.report, m_state.scene().shown.report(slice.report).trackOf(slice.slice)});
}

void TimelineView::revealSlice(SliceRef slice)
{
    const uint32_t lane = laneOfSlice(slice);
    if (lane == kNoLane) return;
    if (m_state.hidden() != nullptr && m_state.hidden()->has(m_state.scene(), slice))
        m_notices.post(tr(
            "The selected slice is hidden because of its name. Click the chip above the lanes to show it."));
    LaneState state = m_state.laneState();
    state.reveal(m_state.tree(), lane,
                 m_state.scene().shown.report(slice.report).slices.depth[slice.slice.value] > 0);
    m_state.setLaneState(std::move(state));
    refreshLanes();
    const PixelSize size = m_canvas->deviceSize();
    const FrameView view = m_state.frameView(size);
    const auto place = slicePosition(m_state.scene(), view, slice);
    if (place && !place->isPinned) {
        const PlacedLane* const process = m_state.flow().processOf(m_state.tree(), lane);
        const int top = std::min(m_state.flow().pinnedHeight, size.height / 2);
        const int covered = top + (process == nullptr ? 0 : process->height);
        if (place->y < covered || place->y + place->height > size.height) {
            scrollTo(m_state.scroll + place->y - (top + size.height) / 2);
        }
    }
    const TimeRange range = *m_state.rangeOf(slice);
    m_state.reachTo(range);
    const TimeRange visible = m_view.visible();
    if (range.begin >= visible.begin && range.end <= visible.end) return;
    if (range.length() >= visible.length())
        return zoomTo(
            {range.begin - Duration{range.length().ns / 10}, range.end + Duration{range.length().ns / 10}});
    centreOn(range.begin + Duration{range.length().ns / 2});
}

void TimelineView::showLane(const QString& key)
{
    const uint32_t lane = m_state.tree().find(key.toStdString());
    if (lane == kNoLane) return;
    LaneState state = m_state.laneState();
    state.reveal(m_state.tree(), lane, true);
    m_state.setLaneState(std::move(state));
    refreshLanes();
    m_state.focusedLane = lane;
    m_state.isLaneFound = true;
    scrollToLane(lane);
    m_canvas->refresh();
}

void TimelineView::click(const Hit& hit)
{
    setFocus(Qt::MouseFocusReason);
    if (m_state.tape.isOn && m_state.cursor && !hit.isInHeader()) return setTapeEnd(hit, *m_state.cursor);
    if (!hit.gap.isEmpty()) return editGap(hit.gap, true);
    if (!hit.isInHeader()) selectSlices(nullptr);
    if (hit.part == Hit::Part::nothing) return select({}, false);
    m_state.focusedLane = hit.lane;
    m_state.isLaneFound = false;
    if (press(hit)) return;
    if (hit.part == Hit::Part::triangle) {
        toggleFold(hit.lane);
    } else if (const BlockRef block = blockAt(m_state.scene(), m_canvas->displayList(), hit);
               block.isValid()) {
        m_view.setBlock(block);
    } else if (hit.part != Hit::Part::header) {
        select(hit.slice, false);
    }
    m_canvas->refresh();
}

// Handles a press on a chip of the lane or on a rank of its map. Returns false if the press hit neither.
bool TimelineView::press(const Hit& hit)
{
    LaneState state = m_state.laneState();
    if (hit.kind == nullptr || !hit.kind->press(m_state.scene(), hit, state)) return false;
    editLanes([&](LaneState& lanes) { lanes = state; });
    if (hit.map == nullptr) return true;
    const uint32_t rank = hit.map->ranks()[hit.mapRank].lane;
    m_state.focusedLane = rank;
    scrollToLane(rank);
    m_canvas->refresh();
    return true;
}

void TimelineView::doubleClick(const Hit& hit)
{
    if (hit.part == Hit::Part::header) {
        toggleFold(hit.lane);
    } else if (hit.slice.isValid()) {
        select(hit.slice, false);
        fitSelection();
    } else if (const BlockRef block = blockAt(m_state.scene(), m_canvas->displayList(), hit);
               block.isValid()) {
        m_view.setBlock(block);
        fitSelection();
    }
}

void TimelineView::hover(const Hit& hit, QPoint position)
{
    m_hoverHit = hit;
    m_hoverAt = position;
    const bool isInTime = hit.part != Hit::Part::nothing && !hit.isInHeader();
    const bool isRightOfHeaders = position.x() * devicePixelRatioF() >= m_state.px(m_state.headerWidth);
    const TraceTime at = m_canvas->timeAt(position.x());
    if (m_hoveredSlice != hit.slice) m_hoverText.clear();
    m_hoveredSlice = isInTime ? hit.slice : SliceRef();
    m_state.cursor = isRightOfHeaders ? std::optional(at) : std::nullopt;
    m_ruler->setCursorTime(m_state.cursor);
    m_canvas->refreshLegends();
    m_card->showLines(linesFor(hit), position, theme(), m_state.scale() / devicePixelRatioF());
    m_view.setCursor(m_state.cursor);
    emit sliceHovered(m_hoveredSlice, at);
}

void TimelineView::endHover()
{
    m_card->hide();
    m_hoverText.clear();
    m_ruler->setCursorTime(std::nullopt);
    const bool was = std::exchange(m_state.cursor, std::nullopt).has_value();
    m_canvas->refreshLegends();
    m_hoveredSlice = {};
    if (!was) return;
    m_view.setCursor(std::nullopt);
    emit sliceHovered({}, {});
}

void TimelineView::setHoverText(SliceRef slice, const QString& arguments)
{
    if (slice != m_hoveredSlice || !m_card->isVisible()) return;
    m_hoverText = arguments;
    m_card->showLines(linesFor(m_hoverHit), m_hoverAt, theme(), m_state.scale() / devicePixelRatioF());
}

QStringList TimelineView::hoverLines() const
{
    return m_card->isVisible() ? m_card->lines() : QStringList();
}

QStringList TimelineView::linesFor(const Hit& hit) const
{
    if (!hit.gap.isEmpty())
        return {tr("%1 without slices").arg(QString::fromStdString(gapText(hit.gap.length()))),
                tr("Collapsed. Click to expand.")};
    if (hit.part == Hit::Part::nothing || hit.lane >= m_state.tree().size()) return {};
    QStringList lines;
    const Lane& lane = m_state.tree().lane(hit.lane);
    if (hit.part == Hit::Part::header && !lane.note.empty())
        lines << QString::fromUtf8(m_state.tree().pathOf(hit.lane)) << QString::fromUtf8(lane.note);
    if (hit.isInHeader() || hit.kind == nullptr) return lines;
    for (const std::string& line : hit.kind->hover(m_state.scene(), m_canvas->displayList(), hit))
        lines << QString::fromStdString(line);
    if (!hit.slice.isValid() || lines.size() < 2) return lines;
    const QString distance = distanceText(hit.slice);
    if (!distance.isEmpty()) lines.insert(2, distance);
    if (!m_hoverText.isEmpty()) lines << m_hoverText.split('\n');
    return lines;
}

void TimelineView::editLanes(const std::function<void(LaneState&)>& edit)
{
    const LaneState before = m_state.laneState();
    LaneState state = before;
    edit(state);
    setLaneState(state);
    if (state != before) emit lanesEdited(before, state);
    emit laneStateChanged();
}

void TimelineView::toggleFold(uint32_t lane)
{
    const Lane& of = m_state.tree().lane(lane);
    editLanes([&](LaneState& lanes) { lanes.fold(of, !lanes.isCollapsed(of)); });
}

void TimelineView::scrollToLane(uint32_t lane)
{
    bool isPinned = false;
    const PlacedLane* const placed = m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    if (placed == nullptr || isPinned) return;
    const int height = m_canvas->deviceSize().height;
    const int page = height - std::min(m_state.flow().pinnedHeight, height / 2);
    const int bottom = placed->y + std::min(placed->height, page);
    if (bottom > m_state.scroll + page) scrollTo(bottom - page);
    const PlacedLane* const process = m_state.flow().processOf(m_state.tree(), placed->lane);
    const int covered = process == nullptr || process == placed ? 0 : process->height;
    if (placed->y - covered < m_state.scroll) scrollTo(placed->y - covered);
}

} // namespace lockstep
