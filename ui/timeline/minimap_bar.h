// SPDX-License-Identifier: Apache-2.0
// MinimapBar: the whole workspace in one strip, by how busy its GPUs were, with a frame around what is
// visible. Dragging the frame pans, dragging beside it puts it there.
#pragma once

#include <QWidget>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

constexpr int kMinimapHeight = 42;     // pixels at scale 1 ...
constexpr int kHalfMinimapHeight = 22; // ... of a half of a comparison, which has a label of its own

// Draws the strip into a rectangle of device pixels. overview: of layOutOverview() over
// state.window.bounds().
void paintMinimap(QPainter& painter, const QRect& area, const TimelineState& state,
                  const DisplayRow& overview);

class MinimapBar : public QWidget {
    Q_OBJECT

  public:
    explicit MinimapBar(const TimelineState& state, QWidget* parent = nullptr);

    // The workspace changed: the histogram is made again.
    void refresh();
    QSize sizeHint() const override;

  signals:
    void panRequested(Duration by);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    TraceTime timeAt(double x) const;

    const TimelineState& m_state;
    DisplayRow m_overview;
    std::optional<PixelScale> m_overviewScale; // that it was made on
    TraceTime m_dragAt;
};

} // namespace lockstep
