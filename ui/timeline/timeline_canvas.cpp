// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_canvas.h"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "core/timeline/lane_kind.h"
#include "core/timeline/pixel_scale.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_tool.h"

namespace lockstep {

TimelineCanvas::TimelineCanvas(const TimelineState& state, ToolStack& tools, QWidget* parent)
    : QWidget(parent), m_state(state), m_tools(tools)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setFocusPolicy(Qt::NoFocus);    // the view handles keys
    installTimelineAccessibility(); // before the first accessibility query for this widget
    setAccessibleName(tr("Lanes"));
}

void TimelineCanvas::refresh()
{
    // Releases closed reports now instead of at the next paint.
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
    m_tools.paint(painter);
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

uint32_t TimelineCanvas::laneAt(QPointF position)
{
    const Hit hit = hitAt(position);
    return hit.part == Hit::Part::nothing ? kNoLane : hit.lane;
}

std::string TimelineCanvas::laneKeyAt(QPointF position)
{
    const double bottom = std::max(0, height() - 1);
    const uint32_t lane = laneAt({position.x(), std::clamp(position.y(), 0.0, bottom)});
    if (lane != kNoLane) return m_state.tree().lane(lane).key;
    const std::vector<PlacedLane>& lanes = m_state.flow().scrolling;
    return lanes.empty() ? std::string() : m_state.tree().lane(lanes.back().lane).key;
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event)
{
    event->setAccepted(m_tools.press(*event));
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event)
{
    m_tools.move(*event);
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_tools.release(*event)) return;
    parentWidget()->setFocus(Qt::MouseFocusReason);
    m_tools.offer(&TimelineTool::click, hitAt(event->position()));
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) m_tools.offer(&TimelineTool::doubleClick, *event);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event)
{
    m_tools.offer(&TimelineTool::wheel, *event);
    event->accept();
}

void TimelineCanvas::leaveEvent(QEvent*)
{
    m_tools.leave();
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    m_tools.offer(&TimelineTool::openMenu, hitAt(event->pos()), event->globalPos());
}

} // namespace lockstep
