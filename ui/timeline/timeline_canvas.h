// SPDX-License-Identifier: Apache-2.0
// TimelineCanvas shows the lanes: headers at the left, time at the right, painted from one display list. The
// tools of the timeline handle its mouse input and paint over the lanes. UI thread.
#pragma once

#include <memory>

#include <QImage>
#include <QWidget>

#include "core/timeline/hit_test.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

class ToolStack;

class TimelineCanvas : public QWidget {
    Q_OBJECT

  public:
    // `state` and `tools` must outlive the canvas, except for its destructor.
    TimelineCanvas(const TimelineState& state, ToolStack& tools, QWidget* parent);

    // Marks the layout as outdated, so that the next paint lays out again. Call after the state changed.
    void refresh();
    // Lays out only the headers that show values at the cursor. Call after the cursor moved.
    void refreshLegends();
    // Returns the current display list; lays it out first if it is out of date.
    const DisplayList& displayList();
    PixelSize deviceSize() const;
    Hit hitAt(QPointF position);
    // Returns the aligned time at x. For positions over the headers, returns the first visible nanosecond.
    TraceTime timeAt(double x) const;
    // Returns the length on the axis of a horizontal distance.
    Duration durationOf(double pixels) const;
    // Returns the lane at the position, or kNoLane.
    uint32_t laneAt(QPointF position);
    // Returns the key of the lane at the position, or of the nearest lane above or below it.
    std::string laneKeyAt(QPointF position);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    void render();

    const TimelineState& m_state;
    ToolStack& m_tools;
    std::unique_ptr<LanePainter> m_painter;
    const Theme* m_painterTheme = nullptr;
    double m_painterScale = 0;
    DisplayList m_list;
    QImage m_image;
    bool m_isStale = true;       // m_list is out of date
    bool m_needsPainting = true; // m_image is out of date
    bool m_needsHeaders = false; // only the headers of m_image are out of date
};

} // namespace lockstep
