// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_canvas.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "core/timeline/lane_kind.h"
#include "core/timeline/pixel_scale.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/rank_frame_painter.h"
#include "ui/timeline/tape.h"
#include "ui/timeline/timeline_accessible.h"

namespace lockstep {

namespace {

constexpr int kEdgeGrip = 4; // pixels around the headers' edge in which a drag starts

} // namespace

TimelineCanvas::TimelineCanvas(const TimelineState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setFocusPolicy(Qt::NoFocus);    // the view handles keys
    installTimelineAccessibility(); // before the first accessibility query for this widget
    setAccessibleName(tr("Lanes"));
}

void TimelineCanvas::refresh()
{
    // Release closed reports now, not only at the next paint.
    if (m_list.tree != m_state.scene().tree) m_list = {};
    m_isStale = true;
    m_needsPainting = true;
    update();
}

void TimelineCanvas::refreshLegends()
{
    const auto follows = [](const DisplayLane& lane) { return lane.kind->followsCursor(); };
    if (m_isStale || std::ranges::none_of(m_list.lanes, follows)) return;
    m_list = layOut(m_state.scene(), m_state.frameView(deviceSize()), std::move(m_list));
    m_needsHeaders = true;
    update();
}

PixelSize TimelineCanvas::deviceSize() const
{
    const double ratio = devicePixelRatioF();
    return {static_cast<int>(width() * ratio), static_cast<int>(height() * ratio)};
}

const DisplayList& TimelineCanvas::displayList()
{
    if (m_isStale) {
        m_list = layOut(m_state.scene(), m_state.frameView(deviceSize()), std::move(m_list));
        m_isStale = false;
        m_needsPainting = true;
    }
    return m_list;
}

void TimelineCanvas::render()
{
    if (m_painter == nullptr || m_painterTheme != m_state.theme || m_painterScale != m_state.scale()) {
        m_painterTheme = m_state.theme;
        m_painterScale = m_state.scale();
        m_painter = std::make_unique<LanePainter>(*m_painterTheme, m_painterScale, m_state.workers);
        m_needsPainting = true;
    }
    const DisplayList& list = displayList();
    if (!m_needsPainting && !m_needsHeaders) return;
    const QSize size(list.size.width, list.size.height);
    const bool showsFocus = m_state.isLaneFound || (parentWidget() != nullptr && parentWidget()->hasFocus());
    const uint32_t focused = showsFocus ? m_state.focusedLane : kNoLane;
    if (m_image.size() != size) {
        m_image = QImage(size, QImage::Format_RGB32);
        m_needsPainting = true;
    }
    if (m_needsPainting) {
        m_painter->paint(m_image, list, m_state.tree(), focused);
    } else {
        m_painter->paintHeaders(m_image, list, m_state.tree(), focused);
    }
    m_needsPainting = m_needsHeaders = false;
}

void TimelineCanvas::paintEvent(QPaintEvent*)
{
    render();
    QPainter painter(this);
    m_image.setDevicePixelRatio(devicePixelRatioF());
    painter.drawImage(0, 0, m_image);
    m_image.setDevicePixelRatio(1);
    painter.scale(1 / devicePixelRatioF(), 1 / devicePixelRatioF());
    if (parentWidget() != nullptr && parentWidget()->hasFocus()) paintRankFrame(painter, markRect(), m_state);
    const QRect lanes(0, 0, m_image.width(), m_image.height());
    if (m_state.marks != nullptr) paintMarkLines(painter, lanes, m_state, *m_state.marks);
    paintTape(painter, lanes, m_state, m_state.tape);
    paintFlash(painter);
    paintDrop(painter);
}

void TimelineCanvas::paintFlash(QPainter& painter)
{
    if (!m_state.flash) return;
    const int x = m_list.scale.pixelOf(*m_state.flash);
    if (x < 0 || x >= m_list.timeWidth()) return;
    const int pen = m_state.px(2);
    painter.fillRect(m_list.headerWidth + x - pen / 2, 0, pen, m_image.height(), m_state.theme->accent);
}

// Shows where a dragged lane would be dropped: below the lane under the mouse if dragged downward, otherwise
// above that lane.
void TimelineCanvas::paintDrop(QPainter& painter)
{
    if (m_drag != Drag::lane) return;
    const uint32_t over = laneAt(m_draggedTo);
    for (const DisplayLane& lane : m_list.lanes) {
        if (lane.lane != over) continue;
        const int y = m_draggedTo.y() > m_pressedAt.y() ? lane.y + lane.height : lane.y;
        const int pen = m_state.px(2);
        painter.fillRect(0, y - pen, m_list.headerWidth, pen, m_state.theme->accent);
    }
}

QRect TimelineCanvas::markRect()
{
    const auto rank = m_state.markedRank();
    if (!rank) return {};
    for (const DisplayRow& row : displayList().rows) {
        if (row.map == nullptr || row.lane != m_state.focusedLane) continue;
        const RankMap::Line& line = row.map->lines()[row.map->lineOf(*rank)];
        const int top = row.y + row.height - row.map->height() + line.top;
        return {m_list.headerWidth, top, m_list.timeWidth(), line.bottom - line.top};
    }
    return {};
}

Hit TimelineCanvas::markHit(TraceTime aligned)
{
    const QRect rect = markRect();
    if (rect.isEmpty()) return {};
    const int x = std::clamp(m_list.scale.pixelOf(aligned), 0, rect.width() - 1);
    Hit hit = hitTest(m_list, rect.left() + x, rect.top());
    hit.mapRank = *m_state.markedRank();
    return hit;
}

QPoint TimelineCanvas::markPlace(TraceTime aligned)
{
    const QRect rect = markRect();
    const Hit hit = markHit(aligned);
    return (QPointF(rect.left() + hit.x, rect.bottom() + 1) / devicePixelRatioF()).toPoint();
}

void TimelineCanvas::resizeEvent(QResizeEvent*)
{
    refresh();
}

Hit TimelineCanvas::hitAt(QPointF position)
{
    const double ratio = devicePixelRatioF();
    const DisplayList& list = displayList();
    Hit hit = hitTest(list, static_cast<int>(std::floor(position.x() * ratio)),
                      static_cast<int>(std::floor(position.y() * ratio)));
    hit.slice = sliceOf(m_state.scene(), list, hit);
    return hit;
}

TraceTime TimelineCanvas::timeAt(double x) const
{
    const int left = m_state.px(m_state.headerWidth);
    const PixelScale scale = m_state.window.scale(std::max(1, deviceSize().width - left));
    return scale.startOf(static_cast<int>(std::floor(x * devicePixelRatioF())) - left);
}

Duration TimelineCanvas::durationOf(double pixels) const
{
    const double width = std::max(1, deviceSize().width - m_state.px(m_state.headerWidth));
    const auto length = static_cast<double>(m_state.window.lengthOnAxis().ns);
    return {std::llround(pixels * devicePixelRatioF() / width * length)};
}

bool TimelineCanvas::isAtHeaderEdge(double x) const
{
    return std::abs(x * devicePixelRatioF() - m_state.px(m_state.headerWidth)) <= kEdgeGrip;
}

LaneEdge TimelineCanvas::edgeAt(QPointF position)
{
    const QPointF at = position * devicePixelRatioF();
    return LaneEdge::at(displayList(), static_cast<int>(at.x()), static_cast<int>(at.y()));
}

void TimelineCanvas::dragEdge(QPointF position, bool isFinal)
{
    const int y = static_cast<int>(position.y() * devicePixelRatioF());
    emit rowHeightDragged(m_edge.lane, m_edge.rowHeightAt(y, displayList().metrics), isFinal);
}

TimelineCanvas::Drag TimelineCanvas::dragOf(const QMouseEvent& event)
{
    if (event.button() == Qt::MiddleButton) return Drag::pan;
    if (event.button() != Qt::LeftButton) return Drag::none;
    if (isAtHeaderEdge(event.position().x())) return Drag::headerEdge;
    m_edge = edgeAt(event.position());
    if (m_edge.isMet()) return Drag::laneEdge;
    const bool hasControl = (event.modifiers() & Qt::ControlModifier) != 0;
    if (event.modifiers() & Qt::AltModifier) return Drag::shift;
    if (hasControl && hitAt(event.position()).isInHeader()) return Drag::shift;
    if (event.modifiers() & Qt::ShiftModifier) return Drag::pan;
    return Drag::press;
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event)
{
    m_pressedAt = m_draggedTo = event->position();
    m_drag = dragOf(*event);
    m_isAdding = (event->modifiers() & Qt::ControlModifier) != 0;
    if (m_drag == Drag::shift) setCursor(Qt::SizeHorCursor);
    if (m_drag == Drag::pan) setCursor(Qt::ClosedHandCursor);
    if (m_drag == Drag::none) event->ignore();
    if (m_drag != Drag::press) return;
    m_pressedLane = laneKeyAt(event->position());
    m_pressedReport = reportAt(event->position());
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag != Drag::none) return drag(event);
    setCursor(isAtHeaderEdge(event->position().x()) ? Qt::SplitHCursor
              : edgeAt(event->position()).isMet()   ? Qt::SplitVCursor
                                                    : Qt::ArrowCursor);
    emit hovered(hitAt(event->position()), event->position().toPoint());
}

void TimelineCanvas::drag(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_drag == Drag::press && std::abs(at.x() - m_pressedAt.x()) >= QApplication::startDragDistance() &&
        !hitAt(m_pressedAt).isInHeader()) {
        m_drag = Drag::area;
        emit hoverEnded();
    }
    if (m_drag == Drag::press && std::abs(at.y() - m_pressedAt.y()) >= QApplication::startDragDistance() &&
        hitAt(m_pressedAt).isInHeader()) {
        m_drag = Drag::lane;
        setCursor(Qt::ClosedHandCursor);
        emit hoverEnded();
    }
    if (m_drag == Drag::lane) update(); // shows the line where the lane would go
    if (m_drag == Drag::area) {
        emitAreaDragged(at, false);
    } else if (m_drag == Drag::laneEdge) {
        dragEdge(at, false);
    } else if (m_drag == Drag::shift) {
        emit laneShifted(laneAt(m_pressedAt), durationOf(at.x() - m_pressedAt.x()), at.toPoint(), false);
    } else if (m_drag == Drag::pan) {
        const QPointF moved = at - m_draggedTo;
        if (moved.x() != 0) emit panRequested(-durationOf(moved.x()));
        if (moved.y() != 0)
            emit scrollRequested(static_cast<int>(std::lround(-moved.y() * devicePixelRatioF())));
    } else if (m_drag == Drag::headerEdge) {
        emit headerWidthRequested(at.x() * devicePixelRatioF() / m_state.scale());
    }
    m_draggedTo = at;
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag was = std::exchange(m_drag, Drag::none);
    if (was == Drag::pan || was == Drag::shift || was == Drag::lane) setCursor(Qt::ArrowCursor);
    if (was == Drag::lane) emit laneDropped(m_pressedLane, laneKeyAt(event->position()));
    if (was == Drag::lane) update();
    const bool picks = m_isAdding && was == Drag::press && !hitAt(event->position()).isInHeader();
    if (picks) emit pickToggled(hitAt(event->position()));
    if (was == Drag::press && !picks) emit clicked(hitAt(event->position()));
    if (was == Drag::area) emitAreaDragged(event->position(), true);
    if (was == Drag::laneEdge && event->position() != m_pressedAt) dragEdge(event->position(), true);
    if (was == Drag::shift) {
        const double moved = event->position().x() - m_pressedAt.x();
        const bool isClick = std::abs(moved) < QApplication::startDragDistance();
        emit laneShifted(laneAt(m_pressedAt), isClick ? Duration() : durationOf(moved),
                         event->position().toPoint(), true);
        if (isClick) emit clicked(hitAt(event->position()));
    }
}

void TimelineCanvas::emitAreaDragged(QPointF at, bool isFinal)
{
    const TraceTime from = timeAt(m_pressedAt.x()), to = timeAt(at.x());
    const ReportKey ended = reportAt(at);
    const bool isForward = from <= to;
    emit areaDragged({{std::min(from, to), std::max(from, to)},
                      m_pressedLane,
                      laneKeyAt(at),
                      isForward ? m_pressedReport : ended,
                      isForward ? ended : m_pressedReport,
                      m_isAdding,
                      isFinal});
}

std::string TimelineCanvas::laneKeyAt(QPointF position)
{
    const double bottom = std::max(0, height() - 1);
    const uint32_t lane = laneAt({position.x(), std::clamp(position.y(), 0.0, bottom)});
    if (lane != kNoLane) return m_state.tree().lane(lane).key;
    const std::vector<PlacedLane>& lanes = m_state.flow().scrolling;
    return lanes.empty() ? std::string() : m_state.tree().lane(lanes.back().lane).key;
}

uint32_t TimelineCanvas::laneAt(QPointF position)
{
    const Hit hit = hitAt(position);
    return hit.part == Hit::Part::nothing ? kNoLane : hit.lane;
}

// A lane may show several reports of the same process, so the row determines the report.
ReportKey TimelineCanvas::reportAt(QPointF position)
{
    const Hit hit = hitAt(position);
    if (hit.part == Hit::Part::nothing) return {};
    if (hit.slice.isValid()) return hit.slice.report;
    if (hit.track.report.isValid()) return hit.track.report;
    return m_state.tree().lane(hit.lane).report;
}

bool TimelineCanvas::cancelShift()
{
    if (m_drag != Drag::shift) return false;
    m_drag = Drag::none;
    setCursor(Qt::ArrowCursor);
    return true;
}

bool TimelineCanvas::cancelLane()
{
    if (m_drag != Drag::lane && m_drag != Drag::laneEdge) return false;
    if (std::exchange(m_drag, Drag::none) == Drag::laneEdge) emit rowHeightDragged(m_edge.lane, 0, true);
    setCursor(Qt::ArrowCursor);
    update();
    return true;
}

bool TimelineCanvas::cancelRange()
{
    if (m_drag != Drag::area) return false;
    m_drag = Drag::none;
    return true;
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    const LaneEdge edge = edgeAt(event->position());
    if (edge.isMet()) return emit rowHeightDropped(edge.lane);
    emit doubleClicked(hitAt(event->position()));
}

void TimelineCanvas::wheelEvent(QWheelEvent* event)
{
    const QPoint angle = event->angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        emit zoomRequested(timeAt(event->position().x()), std::pow(0.8, notches));
    } else if ((event->modifiers() & Qt::ShiftModifier) || angle.y() == 0) {
        emit panRequested(durationOf(-notches * 0.1 * width()));
    } else {
        const int pixels = event->pixelDelta().isNull() ? angle.y() / 2 : event->pixelDelta().y();
        emit scrollRequested(static_cast<int>(-pixels * devicePixelRatioF()));
    }
    event->accept();
}

void TimelineCanvas::leaveEvent(QEvent*)
{
    emit hoverEnded();
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    const Hit hit = hitAt(event->pos());
    if (hit.isInHeader()) emit laneMenuRequested(hit.lane, event->globalPos());
    if (hit.slice.isValid()) emit sliceMenuRequested(hit.slice, hit.lane, event->globalPos());
}

} // namespace lockstep
