// SPDX-License-Identifier: Apache-2.0
// AllocatorMap draws the allocator's segments and their blocks at one point in time, one segment per row. The
// user selects blocks by mouse or keys. UI thread.
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
    std::optional<FoundBlocks> found; // nullopt if there is no search
    AllocatorLayout layout;
    LargestBlocks largest;
    ShownCategories categories; // categories of the blocks
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
    // Selects the next search match after the selected block. Goes row by row, and wraps around.
    void chooseNextMatch();
    BlockLifeId chosen() const { return m_chosen; }
    void choose(BlockLifeId life); // selects like a click by the user
    // Selects a block without emitting a signal, and scrolls to the block once it is drawn.
    void setChosen(BlockLifeId life);
    // Returns the width of the bars in pixels.
    int barWidth() const;
    QRect rectOf(size_t row, const AllocatorBox& box) const;

  signals:
    void chosenChanged(BlockLifeId life); // invalid if no block is selected
    void layoutRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void paintHeader(QPainter& painter) const;
    void paintRow(QPainter& painter, size_t row) const;
    void paintBox(QPainter& painter, const QRect& rect, const AllocatorBox& box) const;
    // Returns the row and box of the selected block, or nullopt if the block is not drawn separately.
    std::optional<std::pair<size_t, size_t>> placeOfChosen() const;
    void moveBy(int key);
    void reveal();
    void fitScrollBar();

    std::shared_ptr<const AllocatorPicture> m_picture;
    BlockLifeId m_chosen;
    bool m_needsReveal = false; // scroll to the selected block when the next image is drawn
    BlockColoring m_coloring = BlockColoring::category;
    BlockColors m_colors{lightTheme(), m_coloring};
    QPixmap m_hatch; // hatch of free memory, one tile
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
