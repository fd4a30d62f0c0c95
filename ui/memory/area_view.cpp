// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/area_view.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/charts/chart_painter.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr double kMinLength = 1e-7; // smallest part of the history that can be shown

} // namespace

AreaView::AreaView(const QString& name, QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(name);
    setMinimumHeight(scaledPixels(60));
    setFont(smallFont(scaledPixels(100) / 100.0));
}

void AreaView::setPicture(std::shared_ptr<const AreaPicture> picture)
{
    m_picture = std::move(picture);
    findPointedArea();
    update();
    emit cursorMoved();
}

void AreaView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
    emit pictureRequested();
}

void AreaView::setMarks(std::vector<MemoryMoment> marks)
{
    m_marks = std::move(marks);
    update();
}

void AreaView::setPointed(std::optional<MemoryMoment> moment, BlockLifeId life)
{
    m_pointedMoment = moment;
    m_pointedLife = life;
    findPointedArea();
    update();
}

void AreaView::findPointedArea()
{
    m_pointedArea.reset();
    if (!m_picture || !m_pointedLife.isValid() || !m_picture->isOfBlocks()) return;
    const std::vector<MemoryArea>& areas = m_picture->layout.stack.areas;
    const auto found = std::ranges::find(areas, m_pointedLife.value, &MemoryArea::key);
    if (found != areas.end()) m_pointedArea = static_cast<size_t>(found - areas.begin());
}

BlockLifeId AreaView::cursorBlock() const
{
    const int column = cursorColumn();
    if (column < 0 || !m_picture->isOfBlocks()) return {};
    const auto area = m_picture->areaAt(column, static_cast<int>(m_cursor.y() * m_picture->image.height()));
    if (!area || m_picture->layout.stack.areas[*area].key == kRestKey) return {};
    return BlockLifeId(m_picture->layout.stack.areas[*area].key);
}

QRect AreaView::plot() const
{
    return rect().adjusted(scaledPixels(12), scaledPixels(4), -scaledPixels(12), -scaledPixels(22));
}

void AreaView::setRange(double from, double until)
{
    const double length = std::clamp(until - from, kMinLength, 1.0);
    m_from = std::clamp(from, 0.0, 1.0 - length);
    m_until = m_from + length;
    update();
    emit pictureRequested();
}

int AreaView::cursorColumn() const
{
    if (!m_picture || m_cursor.x() < 0 || m_picture->layout.moments.empty()) return -1;
    const auto columns = static_cast<int>(m_picture->layout.moments.size());
    return std::clamp(static_cast<int>(m_cursor.x() * columns), 0, columns - 1);
}

std::optional<MemoryMoment> AreaView::cursorMoment() const
{
    const int column = cursorColumn();
    if (column < 0) return std::nullopt;
    return m_picture->layout.moments[static_cast<size_t>(column)];
}

QString AreaView::cursorText() const
{
    const int column = cursorColumn();
    if (column < 0) return {};
    return m_picture->textOf(
        m_picture->areaAt(column, static_cast<int>(m_cursor.y() * m_picture->image.height())), column);
}

// Returns the visible part of the axis: time since the beginning, or entries.
ChartAxis AreaView::momentAxis() const
{
    const MemorySource& source = m_picture->request.source;
    const double whole = static_cast<double>(m_picture->isByTime() ? source.extent().length().ns
                                                                   : source.device().lastMoment());
    const double from = m_from * whole, until = m_until * whole;
    if (m_picture->isByTime()) return {from, until, timeUnitOf(until)};
    return {from, until, {}, AxisScale::whole};
}

void AreaView::paintAxes(QPainter& painter) const
{
    const QRect area = plot();
    const MemorySource& source = m_picture->request.source;
    if (source.device().rows.empty()) {
        // Without a history, the whole axis represents the time of the dump.
        painter.setPen(m_theme->mutedText);
        painter.drawText(area.left(), area.bottom() + scaledPixels(16), source.momentText(0));
    } else {
        paintBottomAxis(painter, momentAxis(), area, *m_theme);
    }
    int64_t step = 1; // choose a power of 2 that results in two to four lines
    while (step < m_picture->scale_bytes / 4)
        step *= 2;
    for (int64_t bytes = step; bytes < m_picture->scale_bytes; bytes += step) {
        const QString text = byteQText(bytes);
        const double share = static_cast<double>(bytes) / static_cast<double>(m_picture->scale_bytes);
        const int y = area.bottom() - static_cast<int>(area.height() * share);
        QRect chip = painter.fontMetrics().boundingRect(text).adjusted(-4, -2, 4, 2);
        chip.moveTopRight({area.right(), std::max(area.top(), y)});
        painter.setPen(QPen(mixed(m_theme->window, m_theme->text, 0.25), 1, Qt::DotLine));
        painter.drawLine(area.left(), y, area.right() - chip.width(), y);
        painter.fillRect(chip, m_theme->window);
        painter.setPen(m_theme->mutedText);
        painter.drawText(chip, Qt::AlignCenter, text);
    }
}

void AreaView::paintMarks(QPainter& painter) const
{
    const QRect area = plot();
    const std::vector<MemoryMoment>& moments = m_picture->layout.moments;
    for (const MemoryMoment mark : m_marks) {
        const auto at = std::ranges::lower_bound(moments, mark);
        if (at == moments.end() || (at == moments.begin() && *at != mark)) continue;
        const int x =
            area.left() + static_cast<int>((at - moments.begin()) * area.width() / std::ssize(moments));
        painter.fillRect(x, area.top(), scaledPixels(2), area.height(), m_theme->bad);
        const QString text = tr("OOM");
        QRect flag(x, area.top(), painter.fontMetrics().horizontalAdvance(text) + 10, scaledPixels(17));
        painter.fillRect(flag, m_theme->bad);
        painter.setPen(textColorOn(m_theme->bad));
        painter.drawText(flag, Qt::AlignCenter, text);
    }
}

// Paints the outline of the selected block over its lifetime, and a line at the shared cursor.
void AreaView::paintPointed(QPainter& painter, const QRectF& target) const
{
    const std::vector<MemoryMoment>& moments = m_picture->layout.moments;
    const double columnWidth = target.width() / static_cast<double>(std::max<size_t>(1, moments.size()));
    if (m_pointedArea) {
        const AreaStack& stack = m_picture->layout.stack;
        const MemoryArea& area = stack.areas[*m_pointedArea];
        const double unit = target.height() / static_cast<double>(m_picture->scale_bytes);
        QPolygonF upper, lower;
        for (uint32_t i = 0; i < area.columnCount; ++i) {
            const int64_t low = stack.offset_bytes[area.firstPoint + i];
            const int64_t size = stack.size_bytes[area.firstPoint + i];
            if (size <= 0) continue;
            const double x = target.left() + (area.firstColumn + i) * columnWidth;
            for (const double each : {x, x + columnWidth}) {
                upper << QPointF(each, target.bottom() - static_cast<double>(low + size) * unit);
                lower << QPointF(each, target.bottom() - static_cast<double>(low) * unit);
            }
        }
        std::ranges::reverse(lower);
        painter.setPen(QPen(m_theme->selection, scaledPixels(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolygon(upper + lower);
    }
    if (!m_pointedMoment || moments.empty()) return;
    const auto at = std::ranges::lower_bound(moments, *m_pointedMoment);
    if (at == moments.end() || (at == moments.begin() && *at != *m_pointedMoment)) return;
    const double x = target.left() + static_cast<double>(at - moments.begin()) * columnWidth;
    painter.fillRect(QRectF(x, target.top(), scaledPixels(1), target.height()), m_theme->accent);
}

void AreaView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    if (!m_picture) return;
    const QRect area = plot();
    // The image covers the range for which it was made. Until the next image arrives, the visible part of the
    // current one is stretched.
    const AreaRequest& made = m_picture->request;
    const double unit = area.width() / (m_until - m_from);
    const QRectF target(area.left() + (made.from - m_from) * unit, area.top(),
                        (made.until - made.from) * unit, area.height());
    painter.save();
    painter.setClipRect(area);
    painter.drawImage(target, m_picture->image);
    paintPointed(painter, target);
    painter.restore();
    paintAxes(painter);
    paintMarks(painter);
    if (m_cursor.x() >= 0) {
        const int x = area.left() + static_cast<int>(m_cursor.x() * area.width());
        painter.fillRect(x, area.top(), 1, area.height(), m_theme->accent);
    }
    if (hasFocus()) {
        painter.setPen(m_theme->accent);
        painter.drawRect(area.adjusted(-1, -1, 0, 0));
    }
}

void AreaView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    emit pictureRequested();
}

void AreaView::placeCursor(QPoint position)
{
    const QRect area = plot();
    m_cursor = {std::clamp(double(position.x() - area.left()) / std::max(1, area.width()), 0.0, 1.0),
                std::clamp(double(position.y() - area.top()) / std::max(1, area.height()), 0.0, 1.0)};
    update();
    emit cursorMoved();
}

void AreaView::mousePressEvent(QMouseEvent* event)
{
    m_grabbed = m_pressed = event->pos();
    placeCursor(event->pos());
}

void AreaView::mouseReleaseEvent(QMouseEvent* event)
{
    const bool isClick = (event->pos() - m_pressed).manhattanLength() < QApplication::startDragDistance();
    if (event->button() == Qt::LeftButton && isClick && cursorColumn() >= 0) emit picked();
}

void AreaView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        pan(double(m_grabbed.x() - event->pos().x()) / std::max(1, plot().width()));
        m_grabbed = event->pos();
    }
    placeCursor(event->pos());
}

void AreaView::mouseDoubleClickEvent(QMouseEvent* event)
{
    placeCursor(event->pos());
    if (const auto moment = cursorMoment()) emit activated(*moment);
}

void AreaView::wheelEvent(QWheelEvent* event)
{
    const double around = (event->position().x() - plot().left()) / std::max(1, plot().width());
    zoom(std::pow(0.85, event->angleDelta().y() / 120.0), std::clamp(around, 0.0, 1.0));
    event->accept();
}

void AreaView::keyPressEvent(QKeyEvent* event)
{
    const double step = event->modifiers() & Qt::ShiftModifier ? 0.1 : 1.0 / std::max(1, plot().width());
    const QPointF cursor = m_cursor.x() < 0 ? QPointF(0.5, 0.5) : m_cursor;
    const auto move = [&](double x, double y) {
        m_cursor = {std::clamp(cursor.x() + x, 0.0, 1.0), std::clamp(cursor.y() + y, 0.0, 1.0)};
        update();
        emit cursorMoved();
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return move(-step, 0);
    case Qt::Key_Right:
        return move(step, 0);
    case Qt::Key_Up:
        return move(0, -0.02);
    case Qt::Key_Down:
        return move(0, 0.02);
    case Qt::Key_Space:
        if (cursorColumn() >= 0) emit picked();
        return;
    case Qt::Key_W:
        return zoom(0.7, cursor.x());
    case Qt::Key_S:
        return zoom(1 / 0.7, cursor.x());
    case Qt::Key_A:
        return pan(-0.15);
    case Qt::Key_D:
        return pan(0.15);
    case Qt::Key_0:
        return setRange(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto moment = cursorMoment()) emit activated(*moment);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void AreaView::zoom(double factor, double around)
{
    const double length = m_until - m_from, center = m_from + around * length;
    const double longer = std::clamp(length * factor, kMinLength, 1.0);
    setRange(center - around * longer, center + (1 - around) * longer);
}

void AreaView::pan(double share)
{
    const double by = share * (m_until - m_from);
    setRange(m_from + by, m_until + by);
}

} // namespace lockstep
