// SPDX-License-Identifier: Apache-2.0
// NeighbourView: a block between what lies before and after it in its segment, at the moment whose state is
// shown beside it: as a strip, and in words. Made by the memory panel's card. UI thread.
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

    // nullptr: it is hidden. O(blocks of the state).
    void setState(const AllocatorState* state);
    QString text() const;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Part {
        uint64_t size_bytes = 0;
        BlockLifeId life; // invalid: free
        bool isThere = false;
    };
    QString words(const Part& part, const QString& atTheEdge) const;
    void find(const AllocatorState& state);

    const MemorySource m_source;
    const BlockLifeId m_life;
    const Theme* m_theme = &lightTheme();
    Part m_before, m_own, m_after; // of its own nothing is there: it is not alive then
    QLabel* m_words;
};

} // namespace lockstep
