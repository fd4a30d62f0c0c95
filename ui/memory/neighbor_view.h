// SPDX-License-Identifier: Apache-2.0
// NeighborView shows a block between its neighbors in the segment, as a strip and as text, at the time of
// the displayed allocator state. Belongs to the card in the memory panel. UI thread.
#pragma once

#include <QWidget>

#include "core/memory/allocator_state.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

class QLabel;

namespace lockstep {

class NeighborView : public QWidget {
    Q_OBJECT

  public:
    NeighborView(const MemorySource& source, BlockLifeId life, QWidget* parent);
    void setTheme(const Theme& theme);

    // Sets the state; nullptr hides the view. O(blocks of the state).
    void setState(const AllocatorState* state);
    QString text() const;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Part {
        uint64_t size_bytes = 0;
        BlockLifeId life; // invalid for free memory
        bool isThere = false;
    };
    QString partText(const Part& part, const QString& atTheEdge) const;
    void find(const AllocatorState& state);

    const MemorySource m_source;
    const BlockLifeId m_life;
    const Theme* m_theme = &lightTheme();
    Part m_before, m_own, m_after; // m_own is absent while the block is not live
    QLabel* m_text;
};

} // namespace lockstep
