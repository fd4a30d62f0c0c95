// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/minimap_bar.h"

#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "core/timeline/pixel_scale.h"
#include "core/timeline/summary_layout.h"
#include "ui/timeline/fold_painter.h"
#include "ui/timeline/slice_palette.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kMinFrame = 6; // pixels at scale 1, so that the frame can be seen and dragged

// Paints ticks where search hits begin.
void paintTicks(QPainter& painter, const QRect& area, const TimelineState& state)
{
    const PixelScale scale = state.window.scaleOfBounds(area.width());
    const TimeRange range = state.hits->range();
    const std::vector<bool>& ticks = state.hits->ticks();
    int last = -1;
    for (size_t i = 0; i < ticks.size(); ++i) {
        if (!ticks[i]) continue;
        const auto middle = static_cast<int64_t>(2 * i + 1);
        const auto part = __int128(range.length().ns) * middle / int64_t(2 * HitRows::kTicks);
        const int x = scale.pixelOf(range.begin + Duration{static_cast<int64_t>(part)});
        if (x <= last || x < 0 || x >= area.width()) continue;
        last = x;
        painter.fillRect(area.left() + x, area.top(), std::max(1, state.px(1)), area.height(),
                         state.theme->accent);
    }
}

} // namespace

void paintMinimap(QPainter& painter, const QRect& area, const TimelineState& state,
                  const DisplayRow& overview)
{
    const Theme& theme = *state.theme;
    painter.fillRect(area, theme.panel);
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
    const int left = area.left() + state.px(state.headerWidth);
    const int width = area.right() + 1 - left;
    painter.setFont(timelineFont(state.scale()));
    painter.setPen(theme.mutedText);
    painter.drawText(
        QRect(area.left() + state.px(12), area.top(), left - area.left() - state.px(20), area.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        state.overviewLabel.isEmpty() ? QObject::tr("whole run") : state.overviewLabel);
    if (width <= 0 || state.scene().shown.isEmpty()) return;
    const bool isHalf = !state.overviewLabel.isEmpty();
    const int top = area.top() + state.px(isHalf ? 3 : 5), bottom = area.bottom() - state.px(isHalf ? 3 : 4);
    const QColor color =
        QColor(blended(theme.category(SliceCategory::compute).rgb(), theme.panel.rgb(), 150));
    const PixelScale scale = state.window.scaleOfBounds(width);
    paintFolds(painter, QRect(left, area.top(), width, area.height() - 1), scale, theme, state.scale());
    for (const DenseColumn& column : overview.columns) {
        const int height = std::max(1, (bottom - top) * column.occupancy / 255);
        painter.fillRect(QRect(left + column.x, bottom - height, 1, height), color);
    }
    if (state.hits != nullptr)
        paintTicks(painter, QRect(left, bottom - state.px(6), width, state.px(6)), state);
    const TimeRange visible = state.window.visible();
    int begin = scale.pixelOf(visible.begin), end = scale.pixelOf(visible.end);
    if (end - begin < state.px(kMinFrame)) {
        begin =
            std::clamp((begin + end - state.px(kMinFrame)) / 2, 0, std::max(0, width - state.px(kMinFrame)));
        end = begin + state.px(kMinFrame);
    }
    QColor shade = theme.accent;
    shade.setAlphaF(0.18f);
    const QRect frame(left + begin, top - 2, end - begin, bottom - top + 4);
    painter.fillRect(frame, shade);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.adjusted(0, 0, -1, -1));
}

MinimapBar::MinimapBar(const TimelineState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Overview of the whole run"));
    setToolTip(tr("GPU busy time over the whole run. Drag the frame to pan the view."));
}

void MinimapBar::refresh()
{
    m_overviewScale.reset();
    update();
}

QSize MinimapBar::sizeHint() const
{
    const int height = m_state.overviewLabel.isEmpty() ? kMinimapHeight : kHalfMinimapHeight;
    return {400, static_cast<int>(std::lround(height * m_state.scale() / devicePixelRatioF()))};
}

TraceTime MinimapBar::timeAt(double x) const
{
    const double left = m_state.px(m_state.headerWidth);
    const int width = std::max(1, static_cast<int>(this->width() * devicePixelRatioF() - left));
    return m_state.window.scaleOfBounds(width).startOf(static_cast<int>(x * devicePixelRatioF() - left));
}

void MinimapBar::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    const QRect area(0, 0, static_cast<int>(width() * ratio), static_cast<int>(height() * ratio));
    const int times = area.width() - m_state.px(m_state.headerWidth);
    if (times > 0) {
        const PixelScale scale = m_state.window.scaleOfBounds(times);
        if (scale != m_overviewScale) m_overview = layOutOverview(m_state.scene(), scale, m_state.workers);
        m_overviewScale = scale;
    }
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    paintMinimap(painter, area, m_state, m_overview);
}

void MinimapBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_dragAt = timeAt(event->position().x());
    const TimeRange visible = m_state.window.visible();
    if (!visible.contains(m_dragAt)) {
        emit panRequested(m_state.window.distance(m_state.window.middle(), m_dragAt));
    }
}

void MinimapBar::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton)) return;
    const TraceTime at = timeAt(event->position().x());
    emit panRequested(m_state.window.distance(m_dragAt, at));
    m_dragAt = at;
}

} // namespace lockstep
