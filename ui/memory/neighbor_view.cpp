// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/neighbor_view.h"

#include <algorithm>

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

NeighborView::NeighborView(const MemorySource& source, BlockLifeId life, QWidget* parent)
    : QWidget(parent), m_source(source), m_life(life), m_text(new QLabel(this))
{
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaledPixels(34), 0, 0); // leaves room for the strip
    m_text->setTextFormat(Qt::PlainText);
    m_text->setProperty("small", true);
    m_text->setProperty("muted", true);
    m_text->setWordWrap(true);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_text);
    hide();
}

void NeighborView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

void NeighborView::setState(const AllocatorState* state)
{
    setVisible(state != nullptr);
    if (state == nullptr) return;
    find(*state);
    if (m_own.isThere) {
        m_text->setText(tr("Before this block: %1.\nAfter this block: %2.")
                            .arg(partText(m_before, tr("start of the segment")),
                                 partText(m_after, tr("end of the segment"))));
    } else {
        m_text->setText(tr("At this point in time, the block does not belong to any segment: it is not "
                           "allocated, or its segment was not recorded."));
    }
    setAccessibleName(m_text->text());
    update();
}

QString NeighborView::text() const
{
    return m_text->text();
}

QString NeighborView::partText(const Part& part, const QString& atTheEdge) const
{
    if (!part.isThere) return atTheEdge;
    if (!part.life.isValid()) return tr("%1 free").arg(byteQText(part.size_bytes));
    return tr("%1, %2, %3")
        .arg(byteQText(part.size_bytes), categoryText(m_source.categoryOfLife(part.life)),
             stackShown(m_source, m_source.device().blocks.stack[part.life.value]));
}

// Finds the adjacent blocks, or the gaps up to the next block or the segment's edge.
void NeighborView::find(const AllocatorState& state)
{
    m_before = m_own = m_after = {};
    const auto at = std::ranges::find(state.blocks, m_life, &PlacedBlock::life);
    const auto row = static_cast<size_t>(at - state.blocks.begin());
    const auto segment = std::ranges::find_if(state.segments, [&](const PlacedSegment& each) {
        return row >= each.firstBlock && row - each.firstBlock < each.blockCount;
    });
    if (at == state.blocks.end() || segment == state.segments.end()) return;
    m_own = {at->size_bytes, m_life, true};
    const auto blocks = state.blocksOf(*segment);
    const size_t index = row - segment->firstBlock;
    const auto endOf = [](const PlacedBlock& block) { return block.address + block.size_bytes; };
    const auto part = [](uint64_t from, uint64_t to, const PlacedBlock* block) {
        if (to > from) return Part{to - from, {}, true}; // blocks that overlap have no gap
        return block != nullptr ? Part{block->size_bytes, block->life, true} : Part();
    };
    const PlacedBlock* const left = index > 0 ? &blocks[index - 1] : nullptr;
    const PlacedBlock* const right = index + 1 < blocks.size() ? &blocks[index + 1] : nullptr;
    const uint64_t segmentEnd = segment->address + segment->size_bytes;
    m_before = part(left != nullptr ? endOf(*left) : segment->address, at->address, left);
    m_after = part(endOf(*at), right != nullptr ? right->address : segmentEnd, right);
}

void NeighborView::paintEvent(QPaintEvent*)
{
    if (!m_own.isThere) return;
    QPainter painter(this);
    const Theme& theme = *m_theme;
    const QRect strip(0, scaledPixels(10), width() - 1, scaledPixels(19));
    double whole = 0;
    for (const Part* const part : {&m_before, &m_own, &m_after})
        whole += static_cast<double>(part->size_bytes);
    const double minWidth = scaledPixels(8); // minimum visible width
    double left = strip.left();
    for (const Part* const part : {&m_before, &m_own, &m_after}) {
        if (!part->isThere) continue;
        const double wide = minWidth + (strip.width() - 3 * minWidth) *
                                           static_cast<double>(part->size_bytes) / std::max(1.0, whole);
        const QRectF box(left, strip.top(), wide, strip.height());
        left += wide;
        const bool isOwn = part == &m_own, isFree = !part->life.isValid();
        painter.fillRect(box, isFree
                                  ? theme.window
                                  : memoryShade(theme, m_source.categoryOfLife(part->life), isOwn ? 0 : 2));
        if (isFree)
            painter.fillRect(box, QBrush(mixed(theme.window, theme.mutedText, 0.55), Qt::BDiagPattern));
        painter.setPen(isOwn ? QPen(theme.selection, scaledPixels(2)) : QPen(theme.line));
        painter.drawRect(box.adjusted(1, 1, -1, -1));
    }
}

} // namespace lockstep
