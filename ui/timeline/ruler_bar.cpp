// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/ruler_bar.h"

#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "core/base/text.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/ticks.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kTickSpacing = 110;

} // namespace

void paintRuler(QPainter& painter, const QRect& area, const TimelineState& state, bool withUtc)
{
    const Theme& theme = *state.theme;
    painter.fillRect(area, theme.window);
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
    const int left = area.left() + state.px(state.headerWidth);
    const int width = area.right() + 1 - left;
    if (width <= 0) return;
    const PixelScale scale(state.window.visible(), width);
    const auto utc = withUtc ? state.scene().alignment.utcAtZero_ns : std::nullopt;
    const TickScale ticks = ticksFor(state.window.visible(), width, state.px(kTickSpacing), utc);
    painter.setClipRect(QRect(left, area.top(), width, area.height()));
    if (state.selection.range) {
        QColor shade = theme.accent;
        shade.setAlphaF(0.16f);
        const int begin = scale.pixelOf(state.selection.range->begin),
                  end = scale.pixelOf(state.selection.range->end);
        const QRect selected(left + begin, area.top(), std::max(1, end - begin), area.height() - 1);
        painter.fillRect(selected, shade);
        painter.fillRect(QRect(selected.left(), area.top(), 1, area.height()), theme.accent);
        painter.fillRect(QRect(selected.right(), area.top(), 1, area.height()), theme.accent);
    }
    const QFont font = timelineFont(state.scale());
    const QFontMetrics metrics(font);
    const int labelBase = area.bottom() - state.px(6);
    painter.setFont(font);
    for (const Tick& tick : ticks.ticks) {
        const int x = left + scale.pixelOf(tick.at);
        const int length = state.px(tick.isMajor ? 7 : 4);
        painter.fillRect(QRect(x, area.bottom() - length, 1, length),
                         tick.isMajor ? theme.mutedText : theme.line);
        if (!tick.isMajor) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(x + state.px(4), labelBase, QString::fromStdString(tick.label));
    }
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    const int topBase = labelBase - metrics.height();
    painter.drawText(left + state.px(4), topBase, QString::fromStdString(ticks.baseLabel));
    if (state.selection.range && !state.selection.range->isEmpty()) {
        const QString length = QString::fromStdString(durationText(state.selection.range->length()));
        const int begin = scale.pixelOf(state.selection.range->begin),
                  end = scale.pixelOf(state.selection.range->end);
        const int textWidth = metrics.horizontalAdvance(length) + state.px(8);
        const int x =
            std::clamp(left + (begin + end - textWidth) / 2, left, std::max(left, area.right() - textWidth));
        painter.fillRect(QRect(x, area.top(), textWidth, metrics.height() + 1), theme.window);
        painter.setPen(theme.accent);
        painter.drawText(x + state.px(4), topBase, length);
    }
    painter.setClipping(false);
    painter.fillRect(QRect(left - 1, area.top(), 1, area.height()), theme.line);
}

RulerBar::RulerBar(const TimelineState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Time ruler"));
    setToolTip(tr("Drag to select a time range"));
}

void RulerBar::setUtc(bool utc)
{
    m_utc = utc;
    update();
}

void RulerBar::setCursorTime(std::optional<TraceTime> aligned)
{
    if (m_cursor == aligned) return;
    m_cursor = aligned;
    update();
}

QSize RulerBar::sizeHint() const
{
    return {400, static_cast<int>(std::lround(kRulerHeight * m_state.scale() / devicePixelRatioF()))};
}

TraceTime RulerBar::timeAt(double x) const
{
    const double left = m_state.px(m_state.headerWidth);
    const int width = std::max(1, static_cast<int>(this->width() * devicePixelRatioF() - left));
    return PixelScale(m_state.window.visible(), width)
        .startOf(static_cast<int>(x * devicePixelRatioF() - left));
}

void RulerBar::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    const QRect area(0, 0, static_cast<int>(width() * ratio), static_cast<int>(height() * ratio));
    paintRuler(painter, area, m_state, m_utc);
    if (!m_cursor || !m_state.window.visible().contains(*m_cursor)) return;
    const int left = m_state.px(m_state.headerWidth);
    const int x =
        left + PixelScale(m_state.window.visible(), std::max(1, area.width() - left)).pixelOf(*m_cursor);
    painter.fillRect(QRect(x, area.height() - m_state.px(10), 1, m_state.px(10)), m_state.theme->accent);
}

void RulerBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_dragFrom = timeAt(event->position().x());
    emit rangeDragged({*m_dragFrom, *m_dragFrom});
}

void RulerBar::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton) || !m_dragFrom) return;
    const TraceTime to = timeAt(event->position().x());
    emit rangeDragged({std::min(*m_dragFrom, to), std::max(*m_dragFrom, to)});
}

void RulerBar::wheelEvent(QWheelEvent* event)
{
    emit zoomRequested(timeAt(event->position().x()), std::pow(0.85, event->angleDelta().y() / 120.0));
    event->accept();
}

} // namespace lockstep
