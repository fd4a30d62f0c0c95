// SPDX-License-Identifier: Apache-2.0
// AllocatorMap: the segments of the allocator at a moment, a row each, with the blocks in them as they were
// laid out. A block is chosen by mouse or keys. UI thread.
#pragma once

#include <optional>

#include <QAbstractScrollArea>
#include <QPixmap>

#include "core/memory/allocator_layout.h"
#include "ui/memory/block_colors.h"
#include "ui/memory/largest_blocks.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

namespace lockstep {

struct AllocatorPicture {
    MemorySource source;
    AllocatorState state;
    std::optional<FoundBlocks> found; // empty: nothing was looked for
    AllocatorLayout layout;
    LargestBlocks largest;
    ShownCategories categories; // of the blocks
};

class AllocatorMap : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit AllocatorMap(QWidget* parent = nullptr);

    void setPicture(std::shared_ptr<const AllocatorPicture> picture);
    const AllocatorPicture* picture() const { return m_picture.get(); }
    void setTheme(const Theme& theme);
    void setColoring(BlockColoring by);
    const BlockColors& colors() const { return m_colors; }
    // The next block that was looked for after the chosen one, row by row; the first after the last.
    void chooseNextFound();
    BlockLifeId chosen() const { return m_chosen; }
    void choose(BlockLifeId life); // as the user does
    // Emits nothing; brings it into sight, once it is drawn.
    void setChosen(BlockLifeId life);
    // Of the bars, px.
    int barWidth() const;
    QRect rectOf(size_t row, const AllocatorBox& box) const;

  signals:
    void chosenChanged(BlockLifeId life); // invalid: none
    void layoutRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void paintHead(QPainter& painter) const;
    void paintRow(QPainter& painter, size_t row) const;
    void paintBox(QPainter& painter, const QRect& rect, const AllocatorBox& box) const;
    // Row and box of the chosen block; empty when it is not drawn by itself.
    std::optional<std::pair<size_t, size_t>> placeOfChosen() const;
    void moveBy(int key);
    void reveal();
    void fitScrollBar();

    std::shared_ptr<const AllocatorPicture> m_picture;
    BlockLifeId m_chosen;
    bool m_isToReveal = false; // the chosen one, with the next picture
    BlockColoring m_coloring = BlockColoring::category;
    BlockColors m_colors{lightTheme(), m_coloring};
    QPixmap m_hatch; // of what is free; one tile
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
