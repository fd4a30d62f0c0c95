// SPDX-License-Identifier: Apache-2.0
// MinimapBar shows the whole workspace as one strip of GPU busy time, with a frame around the visible range.
// Dragging the frame pans the view; a click outside the frame centers the view there. UI thread.
#pragma once

#include <QWidget>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

constexpr int kMinimapHeight = 42;     // pixels at scale 1
constexpr int kHalfMinimapHeight = 22; // height in a pane of a comparison, in pixels at scale 1

// Paints the strip into a rectangle of device pixels. `overview` is the result of layOutOverview() for
// state.window.bounds().
void paintMinimap(QPainter& painter, const QRect& area, const TimelineState& state,
                  const DisplayRow& overview);

class MinimapBar : public QWidget {
    Q_OBJECT

  public:
    explicit MinimapBar(const TimelineState& state, QWidget* parent = nullptr);

    // Recomputes the histogram after the workspace changed.
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
    std::optional<PixelScale> m_overviewScale; // pixel scale for which m_overview was computed
    TraceTime m_dragAt;
};

} // namespace lockstep
