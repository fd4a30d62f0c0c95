// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/allocator_map.h"

#include <algorithm>
#include <array>

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include "core/base/text.h"
#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr double kFreeWarningShare = 0.10; // a segment with a higher share of free memory shows a warning
constexpr double kDimmedShare = 0.78; // weight of the window color in blocks that do not match the search

QString poolText(const AllocatorRow& row)
{
    switch (row.pool) {
    case MemoryPool::small:
        return AllocatorMap::tr("small");
    case MemoryPool::privatePool:
        return AllocatorMap::tr("private %1.%2").arg(row.poolId[0]).arg(row.poolId[1]);
    case MemoryPool::large:
        break;
    }
    return row.isExpandable ? AllocatorMap::tr("expandable") : AllocatorMap::tr("large");
}

int mapRowHeight()
{
    return scaledPixels(24);
}
int mapHeadHeight()
{
    return scaledPixels(25);
}
// Returns the right edges of the columns: segment, pool, size, free.
std::array<int, 4> columnEnds()
{
    return {scaledPixels(118), scaledPixels(190), scaledPixels(262), scaledPixels(322)};
}
int barLeft()
{
    return scaledPixels(336);
}

} // namespace

AllocatorMap::AllocatorMap(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Allocator segments and their blocks"));
    setFont(smallFont(scaledPixels(100) / 100.0));
    setMinimumHeight(scaledPixels(60));
    setTheme(*m_theme);
}

int AllocatorMap::barWidth() const
{
    return std::max(1, viewport()->width() - barLeft() - scaledPixels(14));
}

void AllocatorMap::setPicture(std::shared_ptr<const AllocatorPicture> picture)
{
    m_picture = std::move(picture);
    fitScrollBar();
    reveal();
    viewport()->update();
}

void AllocatorMap::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_colors = BlockColors(theme, m_coloring);
    m_hatch = QPixmap(8, 8);
    m_hatch.fill(theme.window);
    QPainter hatch(&m_hatch);
    hatch.setPen(mixed(theme.window, theme.mutedText, 0.55));
    hatch.drawLine(0, 7, 7, 0);
    viewport()->update();
}

QRect AllocatorMap::rectOf(size_t row, const AllocatorBox& box) const
{
    const int top = mapHeadHeight() + static_cast<int>(row) * mapRowHeight() - verticalScrollBar()->value();
    return {barLeft() + box.left, top + 3, box.right - box.left, mapRowHeight() - 6};
}

void AllocatorMap::paintHeader(QPainter& painter) const
{
    const QRect header(0, 0, viewport()->width(), mapHeadHeight());
    painter.fillRect(header, m_theme->panel);
    painter.fillRect(0, header.bottom(), header.width(), 1, m_theme->line);
    painter.setPen(m_theme->mutedText);
    const std::array<QString, 4> names{tr("Segment"), tr("Pool"), tr("Size"), tr("Free (%)")};
    int left = scaledPixels(12);
    for (size_t i = 0; i < names.size(); ++i) {
        const auto align = (i < 2 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
        painter.drawText(QRect(left, 0, columnEnds()[i] - left, header.height()), int(align), names[i]);
        left = columnEnds()[i];
    }
    const QString scale = byteQText(m_picture->layout.scale_bytes);
    painter.drawText(QRect(barLeft(), 0, barWidth(), header.height()), Qt::AlignLeft | Qt::AlignVCenter, "0");
    painter.drawText(QRect(barLeft(), 0, barWidth(), header.height()), Qt::AlignRight | Qt::AlignVCenter,
                     scale);
}

void AllocatorMap::paintBox(QPainter& painter, const QRect& rect, const AllocatorBox& box) const
{
    const bool isDimmed = m_picture->found && box.found == 0;
    const QColor& own = m_colors.of(m_picture->source, m_picture->state.moment, box.life);
    const QColor color = isDimmed ? mixed(own, m_theme->window, kDimmedShare) : own;
    painter.fillRect(rect.adjusted(0, 0, rect.width() > 2 ? -1 : 0, 0), color);
    if (box.isPending) painter.fillRect(rect, QBrush(mixed(color, m_theme->bad, 0.7), Qt::FDiagPattern));
}

void AllocatorMap::paintRow(QPainter& painter, size_t row) const
{
    const AllocatorRow& shown = m_picture->layout.rows[row];
    const int top = mapHeadHeight() + static_cast<int>(row) * mapRowHeight() - verticalScrollBar()->value();
    if (row % 2 == 1) painter.fillRect(0, top, viewport()->width(), mapRowHeight(), m_theme->laneAlternate);
    const double free =
        static_cast<double>(shown.free_bytes) / static_cast<double>(std::max<uint64_t>(1, shown.size_bytes));
    const QString address = shown.segments > 1 ? tr("small segments") : QString::number(shown.address, 16);
    const std::array<QString, 4> cells{address, poolText(shown), byteQText(shown.size_bytes),
                                       QString::number(100 * free, 'f', 1)};
    int left = scaledPixels(12);
    for (size_t i = 0; i < cells.size(); ++i) {
        painter.setPen(i == 3 && free > kFreeWarningShare ? m_theme->warn
                       : i == 1                           ? m_theme->mutedText
                                                          : m_theme->text);
        const auto align = (i < 2 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
        painter.drawText(QRect(left, top, columnEnds()[i] - left, mapRowHeight()), int(align), cells[i]);
        left = columnEnds()[i];
    }
    const auto boxes = m_picture->layout.boxesOf(shown);
    if (boxes.empty()) return;
    // Free memory is hatched in one pass, before all blocks are drawn over it.
    const QRect whole = rectOf(row, boxes.front()).united(rectOf(row, boxes.back()));
    painter.drawTiledPixmap(whole, m_hatch);
    for (const AllocatorBox& box : boxes) {
        if (box.blocks > 0) paintBox(painter, rectOf(row, box), box);
    }
    painter.setPen(mixed(m_theme->window, m_theme->text, 0.5));
    painter.drawRect(whole.adjusted(-1, -1, 0, 0));
    if (shown.segments > 1) {
        painter.setPen(m_theme->mutedText);
        painter.drawText(whole.right() + scaledPixels(8), top + mapRowHeight() - scaledPixels(8),
                         tr("%1 segments of up to 2 MiB, shown as one row").arg(shown.segments));
    }
}

void AllocatorMap::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme->window);
    if (!m_picture) return;
    painter.setFont(font());
    const auto first = static_cast<size_t>(verticalScrollBar()->value() / mapRowHeight());
    const auto count = static_cast<size_t>(viewport()->height() / mapRowHeight() + 2);
    for (size_t row = first; row < std::min(m_picture->layout.rows.size(), first + count); ++row)
        paintRow(painter, row);
    if (const auto place = placeOfChosen()) {
        const AllocatorBox& box =
            m_picture->layout.boxesOf(m_picture->layout.rows[place->first])[place->second];
        painter.setPen(QPen(m_theme->selection, scaledPixels(2)));
        painter.drawRect(rectOf(place->first, box).adjusted(0, 0, -1, -1));
    }
    paintHeader(painter);
    if (m_picture->layout.rows.empty()) {
        painter.setPen(m_theme->mutedText);
        painter.drawText(viewport()->rect(), Qt::AlignCenter,
                         tr("The allocator holds no memory at this point in time."));
    }
}

void AllocatorMap::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
    emit layoutRequested();
}

void AllocatorMap::mousePressEvent(QMouseEvent* event)
{
    if (!m_picture || event->pos().y() < mapHeadHeight()) return;
    const int row = (event->pos().y() - mapHeadHeight() + verticalScrollBar()->value()) / mapRowHeight();
    const AllocatorBox* const box =
        m_picture->layout.boxAt(static_cast<size_t>(row), event->pos().x() - barLeft());
    choose(box != nullptr ? box->life : BlockLifeId());
}

void AllocatorMap::setColoring(BlockColoring by)
{
    m_coloring = by;
    m_colors = BlockColors(*m_theme, by);
    viewport()->update();
}

void AllocatorMap::chooseNextMatch()
{
    if (!m_picture || !m_picture->found) return;
    const std::vector<AllocatorBox>& boxes = m_picture->layout.boxes;
    const auto isFound = [](const AllocatorBox& box) { return box.found > 0; };
    auto from = boxes.begin();
    if (m_chosen.isValid()) from = std::ranges::find(boxes, m_chosen, &AllocatorBox::life);
    if (from != boxes.end() && m_chosen.isValid()) ++from;
    auto next = std::find_if(from, boxes.end(), isFound);
    if (next == boxes.end()) next = std::ranges::find_if(boxes, isFound);
    if (next == boxes.end()) return;
    choose(next->life);
    m_needsReveal = true;
    reveal();
}

void AllocatorMap::choose(BlockLifeId life)
{
    m_chosen = life;
    m_needsReveal = false; // no scrolling needed: the block is visible under the mouse
    viewport()->update();
    emit chosenChanged(life);
}

void AllocatorMap::setChosen(BlockLifeId life)
{
    if (life == m_chosen) return;
    m_chosen = life;
    m_needsReveal = life.isValid();
    reveal();
    viewport()->update();
}

void AllocatorMap::reveal()
{
    const auto place = m_needsReveal ? placeOfChosen() : std::nullopt;
    if (!place) return;
    m_needsReveal = false;
    const int top = static_cast<int>(place->first) * mapRowHeight();
    const int room = verticalScrollBar()->pageStep(), from = verticalScrollBar()->value();
    if (top < from || top + mapRowHeight() > from + room) verticalScrollBar()->setValue(top - room / 2);
}

std::optional<std::pair<size_t, size_t>> AllocatorMap::placeOfChosen() const
{
    if (!m_picture || !m_chosen.isValid()) return std::nullopt;
    const std::vector<AllocatorBox>& boxes = m_picture->layout.boxes;
    const auto box = std::ranges::find(boxes, m_chosen, &AllocatorBox::life);
    if (box == boxes.end()) return std::nullopt;
    const auto at = static_cast<uint32_t>(box - boxes.begin());
    const std::vector<AllocatorRow>& rows = m_picture->layout.rows;
    const auto after = std::ranges::upper_bound(rows, at, {}, &AllocatorRow::firstBox);
    const auto row = static_cast<size_t>(after - rows.begin()) - 1;
    return std::pair(row, size_t(at - rows[row].firstBox));
}

void AllocatorMap::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        return moveBy(event->key());
    case Qt::Key_Escape:
        if (m_chosen.isValid()) return choose({});
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

// Left and Right move along the blocks of a row; Up and Down move to the nearest block in the next row that
// has blocks.
void AllocatorMap::moveBy(int key)
{
    if (!m_picture || m_picture->layout.boxes.empty()) return;
    const AllocatorLayout& layout = m_picture->layout;
    const auto place = placeOfChosen();
    auto row = static_cast<ptrdiff_t>(place ? place->first : 0);
    auto at = static_cast<ptrdiff_t>(place ? place->second : 0);
    if (place && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        const auto boxes = layout.boxesOf(layout.rows[place->first]);
        const int step = key == Qt::Key_Left ? -1 : 1;
        for (at += step; at >= 0 && at < std::ssize(boxes); at += step)
            if (boxes[static_cast<size_t>(at)].blocks > 0) return choose(boxes[static_cast<size_t>(at)].life);
        return;
    }
    const int step = key == Qt::Key_Up ? -1 : 1;
    for (row += place ? step : 0; row >= 0 && row < std::ssize(layout.rows); row += step) {
        const auto boxes = layout.boxesOf(layout.rows[static_cast<size_t>(row)]);
        const auto used = std::ranges::find_if(boxes, [](const AllocatorBox& box) { return box.blocks > 0; });
        if (used == boxes.end()) continue;
        verticalScrollBar()->setValue(static_cast<int>(row) * mapRowHeight() - viewport()->height() / 2);
        return choose(used->life);
    }
}

void AllocatorMap::fitScrollBar()
{
    const int rows = m_picture ? static_cast<int>(m_picture->layout.rows.size()) : 0;
    const int room = viewport()->height() - mapHeadHeight();
    verticalScrollBar()->setRange(0, std::max(0, rows * mapRowHeight() - room));
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setSingleStep(mapRowHeight());
}

} // namespace lockstep
