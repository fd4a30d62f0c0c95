// SPDX-License-Identifier: Apache-2.0
// Scrubber: the silhouette of active memory with a handle that is dragged along it to choose a moment; what
// comes after is faded. An entry is a step of equal width. UI thread.
#pragma once

#include "ui/memory/area_view.h"

namespace lockstep {

class Scrubber : public AreaView {
    Q_OBJECT

  public:
    explicit Scrubber(QWidget* parent = nullptr);

    // last: of the history. Emits nothing.
    void setMoment(MemoryMoment moment, MemoryMoment last);
    MemoryMoment moment() const { return m_moment; }

  signals:
    void momentPicked(MemoryMoment moment);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void pickAt(int x);
    void pick(int64_t moment);

    MemoryMoment m_moment = 0, m_last = 0;
};

} // namespace lockstep
