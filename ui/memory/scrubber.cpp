// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/scrubber.h"

#include <algorithm>

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>

#include "ui/style/style_sheet.h"

namespace lockstep {

Scrubber::Scrubber(QWidget* parent) : AreaView(tr("Position in the allocation history"), parent) {}

void Scrubber::setMoment(MemoryMoment moment, MemoryMoment last)
{
    m_moment = std::min(moment, last);
    m_last = last;
    update();
}

void Scrubber::paintEvent(QPaintEvent* event)
{
    AreaView::paintEvent(event);
    QPainter painter(this);
    const QRect area = plot();
    const double share = m_last > 0 ? double(m_moment) / double(m_last) : 0;
    const int x = area.left() + static_cast<int>(share * (area.width() - 1));
    QColor wash = look().window;
    wash.setAlphaF(0.55f);
    painter.fillRect(QRect(QPoint(x, area.top()), area.bottomRight()), wash);
    painter.fillRect(x - 1, area.top(), scaledPixels(2), area.height(), look().accent);
    const int half = scaledPixels(12) / 2;
    QPainterPath handle;
    handle.addPolygon(QPolygonF{{double(x - half), 0.0},
                                {double(x + half), 0.0},
                                {double(x + half), double(half)},
                                {double(x), double(2 * half)},
                                {double(x - half), double(half)}});
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(handle, look().accent);
}

void Scrubber::pick(int64_t moment)
{
    const auto picked = static_cast<MemoryMoment>(std::clamp<int64_t>(moment, 0, m_last));
    if (picked == m_moment) return;
    m_moment = picked;
    update();
    emit momentPicked(picked);
}

void Scrubber::pickAt(int x)
{
    const QRect area = plot();
    const double share = double(x - area.left()) / std::max(1, area.width() - 1);
    pick(static_cast<int64_t>(std::clamp(share, 0.0, 1.0) * m_last + 0.5));
}

void Scrubber::mousePressEvent(QMouseEvent* event)
{
    pickAt(event->pos().x());
}

void Scrubber::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton) pickAt(event->pos().x());
}

void Scrubber::mouseDoubleClickEvent(QMouseEvent* event)
{
    pickAt(event->pos().x());
}

void Scrubber::wheelEvent(QWheelEvent* event)
{
    pick(int64_t(m_moment) - event->angleDelta().y() / 120);
    event->accept();
}

void Scrubber::keyPressEvent(QKeyEvent* event)
{
    const int64_t step = event->modifiers() & Qt::ShiftModifier ? std::max<int64_t>(1, m_last / 100) : 1;
    switch (event->key()) {
    case Qt::Key_Left:
        return pick(int64_t(m_moment) - step);
    case Qt::Key_Right:
        return pick(int64_t(m_moment) + step);
    case Qt::Key_PageUp:
        return pick(int64_t(m_moment) - std::max<int64_t>(1, m_last / 20));
    case Qt::Key_PageDown:
        return pick(int64_t(m_moment) + std::max<int64_t>(1, m_last / 20));
    case Qt::Key_Home:
        return pick(0);
    case Qt::Key_End:
        return pick(m_last);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockstep
