// SPDX-License-Identifier: Apache-2.0
// Scrubber draws the outline of active memory over the history, with a handle that selects a point in time.
// The part after the handle is faded. All entries have the same width. UI thread.
#pragma once

#include "ui/memory/area_view.h"

namespace lockstep {

class Scrubber : public AreaView {
    Q_OBJECT

  public:
    explicit Scrubber(QWidget* parent = nullptr);

    // Moves the handle without emitting a signal. last: the end of the history.
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
