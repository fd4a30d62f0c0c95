// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_drag_tool.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include "core/base/text.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/hover_tool.h"
#include "ui/timeline/lane_tool.h"
#include "ui/timeline/timeline_canvas.h"

namespace lockstep {

namespace {

constexpr int kEdgeGrip = 4; // pixels around the headers' edge in which a drag starts

QString signedText(Duration by)
{
    return (by.ns < 0 ? "\u2212" : "+") + QString::fromUtf8(durationText({std::abs(by.ns)}));
}

} // namespace

LaneDragTool::LaneDragTool(TimelineContext& context, LaneTool& lanes, HoverTool& hover)
    : m_context(context), m_state(context.state), m_lanes(lanes), m_hover(hover)
{
    on(CommandId::cancel, [this] { return cancel(); });
}

bool LaneDragTool::isAtHeaderEdge(double x) const
{
    return std::abs(x * m_context.owner.devicePixelRatioF() - m_state.px(m_state.headerWidth)) <= kEdgeGrip;
}

LaneEdge LaneDragTool::edgeAt(QPointF position) const
{
    const QPointF at = position * m_context.owner.devicePixelRatioF();
    return LaneEdge::at(m_context.canvas->displayList(), static_cast<int>(at.x()), static_cast<int>(at.y()));
}

LaneDragTool::Drag LaneDragTool::dragOf(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton) return Drag::none;
    if (isAtHeaderEdge(event.position().x())) return Drag::headerEdge;
    m_edge = edgeAt(event.position());
    if (m_edge.isMet()) return Drag::laneEdge;
    if (event.modifiers() & Qt::AltModifier) return Drag::shift;
    if (!m_context.canvas->hitAt(event.position()).isInHeader()) return Drag::none;
    if (event.modifiers() & Qt::ControlModifier) return Drag::shift;
    return (event.modifiers() & Qt::ShiftModifier) ? Drag::none : Drag::press;
}

bool LaneDragTool::press(const QMouseEvent& event)
{
    m_pressedAt = m_draggedTo = event.position();
    m_drag = dragOf(event);
    if (m_drag == Drag::shift) m_context.canvas->setCursor(Qt::SizeHorCursor);
    if (m_drag == Drag::press) m_lane = m_context.canvas->laneKeyAt(m_pressedAt);
    return m_drag != Drag::none;
}

void LaneDragTool::move(const QMouseEvent& event)
{
    TimelineCanvas& canvas = *m_context.canvas;
    const QPointF at = event.position();
    if (m_drag == Drag::press && std::abs(at.y() - m_pressedAt.y()) >= QApplication::startDragDistance()) {
        m_drag = Drag::lane;
        canvas.setCursor(Qt::ClosedHandCursor);
        m_hover.leave();
    }
    if (m_drag == Drag::lane) canvas.update(); // shows the line where the lane would go
    if (m_drag == Drag::laneEdge) dragEdge(at, false);
    if (m_drag == Drag::shift) shift(canvas.durationOf(at.x() - m_pressedAt.x()), at, false);
    if (m_drag == Drag::headerEdge)
        m_lanes.setHeaderWidth(at.x() * canvas.devicePixelRatioF() / m_state.scale());
    m_draggedTo = at;
}

bool LaneDragTool::release(const QMouseEvent& event)
{
    TimelineCanvas& canvas = *m_context.canvas;
    const QPointF at = event.position();
    if (m_drag == Drag::shift || m_drag == Drag::lane) canvas.setCursor(Qt::ArrowCursor);
    if (m_drag == Drag::lane) {
        m_lanes.dropLane(m_lane, canvas.laneKeyAt(at));
        canvas.update();
    }
    if (m_drag == Drag::laneEdge && at != m_pressedAt) dragEdge(at, true);
    if (m_drag != Drag::shift) return m_drag == Drag::press;
    const double moved = at.x() - m_pressedAt.x();
    const bool isClick = std::abs(moved) < QApplication::startDragDistance();
    shift(isClick ? Duration() : canvas.durationOf(moved), at, true);
    return isClick;
}

void LaneDragTool::hover(const QMouseEvent& event)
{
    m_context.canvas->setCursor(isAtHeaderEdge(event.position().x()) ? Qt::SplitHCursor
                                : edgeAt(event.position()).isMet()   ? Qt::SplitVCursor
                                                                     : Qt::ArrowCursor);
}

bool LaneDragTool::doubleClick(const QMouseEvent& event)
{
    const LaneEdge edge = edgeAt(event.position());
    if (edge.isMet()) m_lanes.resetRowHeight(edge.lane);
    return edge.isMet();
}

void LaneDragTool::dragEdge(QPointF position, bool isFinal)
{
    TimelineCanvas& canvas = *m_context.canvas;
    const int y = static_cast<int>(position.y() * canvas.devicePixelRatioF());
    m_lanes.dragRowHeight(m_edge.lane, m_edge.rowHeightAt(y, canvas.displayList().metrics), isFinal);
}

void LaneDragTool::shift(Duration by, QPointF position, bool isFinal)
{
    m_context.takeFocus();
    const uint32_t lane = m_context.canvas->laneAt(m_pressedAt);
    const std::vector<ReportKey> reports =
        lane == kNoLane ? std::vector<ReportKey>() : reportsUnder(m_state.tree(), lane);
    if (reports.empty()) return;
    m_state.previewShift(reports, by);
    m_context.refresh();
    if (!isFinal)
        return m_context.showCard({QString::fromUtf8(m_state.tree().pathOf(lane)),
                                   tr("Moved by %1").arg(signedText(by)),
                                   tr("Recorded timestamps stay unchanged. Press Esc to cancel.")},
                                  position.toPoint());
    m_context.card->hide();
    if (by.ns == 0) return cancelShift();
    emit shiftRequested(reports, by);
}

void LaneDragTool::cancelShift()
{
    m_state.previewShift({}, {});
    m_context.card->hide();
    m_context.refresh();
}

bool LaneDragTool::cancel()
{
    const bool isCanceled = m_drag == Drag::shift || m_drag == Drag::lane || m_drag == Drag::laneEdge;
    if (!isCanceled || !endDrag()) return false;
    if (m_drag == Drag::shift) cancelShift();
    if (m_drag == Drag::laneEdge) m_lanes.dragRowHeight(m_edge.lane, 0, true);
    m_context.canvas->setCursor(Qt::ArrowCursor);
    m_context.canvas->update();
    return true;
}

// Shows where a dragged lane would be dropped: below the lane under the mouse if dragged downward, otherwise
// above that lane.
void LaneDragTool::paint(QPainter& painter)
{
    if (!isDragging() || m_drag != Drag::lane) return;
    const uint32_t over = m_context.canvas->laneAt(m_draggedTo);
    const DisplayList& list = m_context.canvas->displayList();
    for (const DisplayLane& lane : list.lanes) {
        if (lane.lane != over) continue;
        const int y = m_draggedTo.y() > m_pressedAt.y() ? lane.y + lane.height : lane.y;
        const int pen = m_state.px(2);
        painter.fillRect(0, y - pen, list.headerWidth, pen, m_state.theme->accent);
    }
}

} // namespace lockstep
