// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/flame_view.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "ui/style/style_sheet.h"

namespace lockstep {

FlameView::FlameView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFont(smallFont(scaledPixels(100) / 100.0));
}

int FlameView::rowHeight() const
{
    return scaledPixels(m_rowHeight);
}

void FlameView::setRowHeight(int atScaleOne)
{
    m_rowHeight = atScaleOne;
    fitScrollBar();
    viewport()->update();
}

void FlameView::setChart(std::shared_ptr<const FlameChart> chart)
{
    const bool isSameTree = m_chart && chart && chart->isTreeOf(*m_chart);
    m_chart = std::move(chart);
    if (!isSameTree) m_chosen = 0;
    fitScrollBar();
    viewport()->update();
    if (!isSameTree) emit chosenChanged(m_chosen);
}

void FlameView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    viewport()->update();
}

QRect FlameView::rectOf(const FlameBox& box) const
{
    const int top = static_cast<int>(box.row) * rowHeight() - verticalScrollBar()->value();
    return {box.left, top, box.right - box.left, rowHeight() - 1};
}

QString FlameView::textOf(const FlameBox& box) const
{
    return box.merged > 0 ? tr("%n frame(s)", nullptr, static_cast<int>(box.merged)) : m_chart->textOf(box);
}

void FlameView::paintBox(QPainter& painter, const FlameBox& box) const
{
    const QRect rect = rectOf(box);
    const QColor color = m_chart->colorOf(box, *m_theme);
    painter.fillRect(rect.adjusted(0, 0, rect.width() > 3 ? -1 : 0, 0), color);
    if (m_chart->isFramed(box) && rect.width() > 3) {
        painter.setPen(m_theme->selection);
        painter.drawRect(rect.adjusted(0, 0, -2, -1));
    }
    const int padding = scaledPixels(6);
    QRect inside = rect.adjusted(padding, 0, -padding, 0);
    if (inside.width() < scaledPixels(18)) return;
    painter.setPen(textColorOn(color));
    if (rect.width() > scaledPixels(104)) {
        const QString bytes = m_chart->sizeText(box);
        painter.drawText(inside, Qt::AlignRight | Qt::AlignVCenter, bytes);
        inside.setRight(inside.right() - painter.fontMetrics().horizontalAdvance(bytes) - padding);
    }
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(textOf(box), Qt::ElideRight, inside.width()));
}

void FlameView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme->window);
    if (!m_chart) return;
    painter.setFont(font());
    const int top = verticalScrollBar()->value();
    const auto first = static_cast<uint32_t>(top / rowHeight());
    const auto last = static_cast<uint32_t>((top + viewport()->height()) / rowHeight());
    const std::vector<FlameBox>& boxes = m_chart->layout.boxes;
    for (auto box = std::ranges::lower_bound(boxes, first, {}, &FlameBox::row);
         box != boxes.end() && box->row <= last; ++box)
        paintBox(painter, *box);
    if (const auto chosen = boxOf(m_chosen); chosen && (m_chosen != 0 || hasFocus())) {
        painter.setPen(QPen(m_theme->selection, scaledPixels(2)));
        painter.drawRect(rectOf(boxes[*chosen]).adjusted(1, 1, -2, -1));
    }
}

void FlameView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
    emit layoutRequested();
}

std::optional<size_t> FlameView::boxAt(QPoint position) const
{
    if (!m_chart) return std::nullopt;
    const int y = position.y() + verticalScrollBar()->value();
    return m_chart->layout.boxAt(static_cast<uint32_t>(y / rowHeight()), position.x());
}

std::optional<size_t> FlameView::boxOf(uint32_t node) const
{
    if (!m_chart || node >= m_chart->frameCount()) return std::nullopt;
    const std::vector<FlameBox>& boxes = m_chart->layout.boxes;
    const uint32_t row = m_chart->depthOf(node);
    for (auto box = std::ranges::lower_bound(boxes, row, {}, &FlameBox::row);
         box != boxes.end() && box->row == row; ++box) {
        if (box->node == node && box->merged == 0) return static_cast<size_t>(box - boxes.begin());
    }
    return std::nullopt;
}

void FlameView::mousePressEvent(QMouseEvent* event)
{
    const auto box = boxAt(event->pos());
    if (event->button() == Qt::LeftButton && box) choose(m_chart->layout.boxes[*box].node);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto box = boxAt(event->pos());
    if (event->button() != Qt::LeftButton || !box) return;
    const FlameBox& under = m_chart->layout.boxes[*box];
    emit focusRequested(under.merged > 0 ? m_chart->parentOf(under.node) : under.node);
}

void FlameView::choose(uint32_t node)
{
    m_chosen = node;
    viewport()->update();
    emit chosenChanged(node);
}

void FlameView::keyPressEvent(QKeyEvent* event)
{
    if (!m_chart) return QAbstractScrollArea::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        return moveBy(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit focusRequested(m_chosen);
        return;
    case Qt::Key_Escape:
        if (m_chart->focus == 0) break;
        emit focusRequested(m_chart->parentOf(m_chart->focus));
        return;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void FlameView::moveBy(int key)
{
    const std::vector<FlameBox>& boxes = m_chart->layout.boxes;
    const auto here = boxOf(m_chosen);
    if (!here) return choose(m_chart->focus);
    std::optional<size_t> next;
    if (key == Qt::Key_Up && m_chosen != 0) next = boxOf(m_chart->parentOf(m_chosen));
    if (key == Qt::Key_Left && *here > 0) next = *here - 1;
    if (key == Qt::Key_Right && *here + 1 < boxes.size()) next = *here + 1;
    if (key == Qt::Key_Down) next = m_chart->layout.boxAt(boxes[*here].row + 1, boxes[*here].left);
    if (!next) return;
    const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
    if (isSideways && boxes[*next].row != boxes[*here].row) return;
    choose(boxes[*next].node);
    const QRect rect = rectOf(boxes[*next]);
    if (rect.top() < 0 || rect.bottom() > viewport()->height())
        verticalScrollBar()->setValue(static_cast<int>(boxes[*next].row) * rowHeight() -
                                      viewport()->height() / 2);
}

bool FlameView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto box = boxAt(help->pos());
    if (!box) return true;
    const FlameBox& under = m_chart->layout.boxes[*box];
    QToolTip::showText(help->globalPos(), textOf(under) + "\n" + m_chart->sizeText(under), viewport());
    return true;
}

void FlameView::fitScrollBar()
{
    const int rows = m_chart ? static_cast<int>(m_chart->layout.rows) : 0;
    verticalScrollBar()->setRange(0, std::max(0, rows * rowHeight() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight());
}

} // namespace lockstep
