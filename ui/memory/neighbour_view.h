// SPDX-License-Identifier: Apache-2.0
// NeighbourView shows a block between its neighbors in the segment, as a strip and as text, at the time of
// the displayed allocator state. Belongs to the card in the memory panel. UI thread.
#pragma once

#include <QWidget>

#include "core/memory/allocator_state.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

class QLabel;

namespace lockstep {

class NeighbourView : public QWidget {
    Q_OBJECT

  public:
    NeighbourView(const MemorySource& source, BlockLifeId life, QWidget* parent);
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
    QString words(const Part& part, const QString& atTheEdge) const;
    void find(const AllocatorState& state);

    const MemorySource m_source;
    const BlockLifeId m_life;
    const Theme* m_theme = &lightTheme();
    Part m_before, m_own, m_after; // m_own is absent while the block is not live
    QLabel* m_words;
};

} // namespace lockstep
