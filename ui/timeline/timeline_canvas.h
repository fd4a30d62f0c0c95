// SPDX-License-Identifier: Apache-2.0
// TimelineCanvas shows the lanes: headers at the left, time at the right, painted from one display list. The
// canvas turns mouse input into signals; the TimelineView acts on them. UI thread.
#pragma once

#include <memory>

#include <QImage>
#include <QWidget>

#include "core/timeline/hit_test.h"
#include "ui/timeline/lane_edge.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

class TimelineCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineCanvas(const TimelineState& state, QWidget* parent = nullptr);

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
    // Returns the hit that a mouse click at this time on the current rank of a rank map would produce. The
    // part of the hit is `nothing` if there is no current rank or it is not visible.
    Hit markHit(TraceTime aligned);
    // Returns a point just below the current rank's line, in widget pixels.
    QPoint markPlace(TraceTime aligned);
    // Cancels a drag that shifts a lane in time. Returns false if there is none.
    bool cancelShift();
    // Cancels a drag that moves a lane or its lower edge. Returns false if there is none.
    bool cancelLane();
    // Cancels a drag that selects an area. Returns false if there is none.
    bool cancelRange();

    struct AreaDrag {
        TimeRange range;         // aligned
        std::string first, last; // keys of the lanes at which the drag starts and ends; "" for none
        ReportKey from, to;      // reports of these two lanes, in time order; invalid for none
        bool isAdding = false;   // true if the area is added to the existing areas
        bool isFinal = false;    // true if the mouse button was released
    };

  signals:
    void hovered(const Hit& hit, QPoint position);
    void hoverEnded();
    void clicked(const Hit& hit);
    void pickToggled(const Hit& hit); // Ctrl+click
    void doubleClicked(const Hit& hit);
    // Emitted while the user drags an area over lanes, and once when the drag ends.
    void areaDragged(const TimelineCanvas::AreaDrag& drag);
    // Emitted while a lane is dragged along the time axis (Alt+drag, or Ctrl+drag on its header).
    void laneShifted(uint32_t lane, Duration by, QPoint position, bool isFinal);
    void zoomRequested(TraceTime at, double factor);
    void panRequested(Duration by);
    void scrollRequested(int pixels);
    void headerWidthRequested(double atScaleOne);
    // Emitted when a header was dragged onto another lane. Both arguments are lane keys.
    void laneDropped(const std::string& moved, const std::string& over);
    // Emitted while the lower edge of a header is dragged. `lane` is a lane key; `height` is the row height
    // in pixels at scale 1, or 0 if Esc canceled the drag and the old height must be restored.
    void rowHeightDragged(const std::string& lane, int height, bool isFinal);
    // Emitted when the lower edge is double-clicked, which resets the lane to the default row height.
    void rowHeightDropped(const std::string& lane);
    void laneMenuRequested(uint32_t lane, QPoint global);
    void sliceMenuRequested(SliceRef slice, uint32_t lane, QPoint global);

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
    enum class Drag : uint8_t {
        none,
        press /* may become an area */,
        area,
        pan,
        headerEdge,
        laneEdge,
        shift,
        lane
    };

    void render();
    // Returns the rectangle of the current rank's line in device pixels; empty if the rank is not visible.
    QRect markRect();
    void paintDrop(QPainter& painter);
    void paintFlash(QPainter& painter);
    void drag(QMouseEvent* event);
    void emitAreaDragged(QPointF at, bool isFinal);
    // Returns the key of the lane at the position, or of the nearest lane above or below it.
    std::string laneKeyAt(QPointF position);
    Drag dragOf(const QMouseEvent& event);
    uint32_t laneAt(QPointF position);
    LaneEdge edgeAt(QPointF position);
    void dragEdge(QPointF position, bool isFinal);
    ReportKey reportAt(QPointF position);
    bool isAtHeaderEdge(double x) const;
    Duration durationOf(double pixels) const;

    const TimelineState& m_state;
    std::unique_ptr<LanePainter> m_painter;
    const Theme* m_painterTheme = nullptr;
    double m_painterScale = 0;
    DisplayList m_list;
    QImage m_image;
    bool m_isStale = true;       // m_list is out of date
    bool m_needsPainting = true; // m_image is out of date
    bool m_needsHeaders = false; // only the headers of m_image are out of date
    Drag m_drag = Drag::none;
    QPointF m_pressedAt;
    QPointF m_draggedTo;
    std::string m_pressedLane; // stored as a key, because indices change if lanes are added during the drag
    ReportKey m_pressedReport;
    LaneEdge m_edge; // the edge that is dragged
    bool m_isAdding = false;
};

} // namespace lockstep
