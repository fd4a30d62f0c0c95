// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/flame_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include "core/base/text.h"
#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

int flameRowHeight()
{
    return scaledPixels(28);
}

} // namespace

FlameView::FlameView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Flame graph of live memory by stack"));
    setFont(smallFont(scaledPixels(100) / 100.0));
}

void FlameView::setPicture(std::shared_ptr<const FlamePicture> picture)
{
    const bool isSameTree = m_picture && picture && m_picture->nodes == picture->nodes;
    m_picture = std::move(picture);
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
    const int top = static_cast<int>(box.row) * flameRowHeight() - verticalScrollBar()->value();
    return {box.left, top, box.right - box.left, flameRowHeight() - 1};
}

QString FlameView::textOf(const FlameBox& box) const
{
    if (box.merged > 0) return tr("%1 frames").arg(box.merged);
    if (box.node == 0) {
        return tr("all live blocks \u00B7 %1 blocks")
            .arg(QString::fromStdString(groupedText(static_cast<int64_t>(box.blocks))));
    }
    return frameText(m_picture->source, (*m_picture->nodes)[box.node].frame);
}

QColor FlameView::colorOf(const FlameBox& box) const
{
    const FlameNode& node = (*m_picture->nodes)[box.node];
    const MemoryCategory category = box.merged > 0 ? MemoryCategory::count : node.category;
    const uint32_t shade = category == MemoryCategory::count ? 0 : node.frame.value;
    const QColor color = memoryShade(*m_theme, category, shade);
    const bool isWashed = m_picture->isSearched && node.found_bytes == 0;
    return isWashed ? mixed(color, m_theme->window, 0.72) : color;
}

void FlameView::paintBox(QPainter& painter, const FlameBox& box) const
{
    const QRect rect = rectOf(box);
    const QColor color = colorOf(box);
    painter.fillRect(rect.adjusted(0, 0, rect.width() > 3 ? -1 : 0, 0), color);
    const int padding = scaledPixels(6);
    QRect inside = rect.adjusted(padding, 0, -padding, 0);
    if (inside.width() < scaledPixels(18)) return;
    painter.setPen(textColorOn(color));
    if (rect.width() > scaledPixels(104)) {
        const QString bytes = byteQText(box.size_bytes);
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
    if (!m_picture) return;
    painter.setFont(font());
    const int top = verticalScrollBar()->value();
    const auto first = static_cast<uint32_t>(top / flameRowHeight());
    const auto last = static_cast<uint32_t>((top + viewport()->height()) / flameRowHeight());
    const std::vector<FlameBox>& boxes = m_picture->layout.boxes;
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
    if (!m_picture) return std::nullopt;
    const int y = position.y() + verticalScrollBar()->value();
    return m_picture->layout.boxAt(static_cast<uint32_t>(y / flameRowHeight()), position.x());
}

std::optional<size_t> FlameView::boxOf(uint32_t node) const
{
    if (!m_picture || node >= m_picture->nodes->size()) return std::nullopt;
    const std::vector<FlameBox>& boxes = m_picture->layout.boxes;
    const uint32_t row = (*m_picture->nodes)[node].depth;
    for (auto box = std::ranges::lower_bound(boxes, row, {}, &FlameBox::row);
         box != boxes.end() && box->row == row; ++box) {
        if (box->node == node && box->merged == 0) return static_cast<size_t>(box - boxes.begin());
    }
    return std::nullopt;
}

void FlameView::mousePressEvent(QMouseEvent* event)
{
    const auto box = boxAt(event->pos());
    if (event->button() == Qt::LeftButton && box) choose(m_picture->layout.boxes[*box].node);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto box = boxAt(event->pos());
    if (event->button() != Qt::LeftButton || !box) return;
    const FlameBox& under = m_picture->layout.boxes[*box];
    emit focusRequested(under.merged > 0 ? (*m_picture->nodes)[under.node].parent : under.node);
}

void FlameView::choose(uint32_t node)
{
    m_chosen = node;
    viewport()->update();
    emit chosenChanged(node);
}

void FlameView::keyPressEvent(QKeyEvent* event)
{
    if (!m_picture) return QAbstractScrollArea::keyPressEvent(event);
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
        if (m_picture->focus == 0) break;
        emit focusRequested((*m_picture->nodes)[m_picture->focus].parent);
        return;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void FlameView::moveBy(int key)
{
    const std::vector<FlameBox>& boxes = m_picture->layout.boxes;
    const std::vector<FlameNode>& nodes = *m_picture->nodes;
    const auto here = boxOf(m_chosen);
    if (!here) return choose(m_picture->focus);
    std::optional<size_t> next;
    if (key == Qt::Key_Up && m_chosen != 0) next = boxOf(nodes[m_chosen].parent);
    if (key == Qt::Key_Left && *here > 0) next = *here - 1;
    if (key == Qt::Key_Right && *here + 1 < boxes.size()) next = *here + 1;
    if (key == Qt::Key_Down) next = m_picture->layout.boxAt(boxes[*here].row + 1, boxes[*here].left);
    if (!next) return;
    const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
    if (isSideways && boxes[*next].row != boxes[*here].row) return;
    choose(boxes[*next].node);
    const QRect rect = rectOf(boxes[*next]);
    if (rect.top() < 0 || rect.bottom() > viewport()->height())
        verticalScrollBar()->setValue(static_cast<int>(boxes[*next].row) * flameRowHeight() -
                                      viewport()->height() / 2);
}

void FlameView::fitScrollBar()
{
    const int rows = m_picture ? static_cast<int>(m_picture->layout.rows) : 0;
    verticalScrollBar()->setRange(0, std::max(0, rows * flameRowHeight() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(flameRowHeight());
}

} // namespace lockstep
