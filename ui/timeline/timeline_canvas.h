// SPDX-License-Identifier: Apache-2.0
// TimelineCanvas: the lanes: headers at the left, their time at the right, painted from one display list.
// Turns mouse input into wishes; the TimelineView grants them. GUI thread.
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

    // The state changed: the next paint lays out again.
    void refresh();
    // The cursor is elsewhere: headers that tell what is under it are made again, and nothing else.
    void refreshLegends();
    // The list of the last refresh, laid out now if it was not painted yet.
    const DisplayList& displayList();
    PixelSize deviceSize() const;
    Hit hitAt(QPointF position);
    // Aligned; positions left of the times give the first visible ns.
    TraceTime timeAt(double x) const;
    // As if the mouse met the marked rank at this time; part is nothing where none is marked or seen.
    Hit markHit(TraceTime aligned);
    // Beside the marked rank's line, in pixels of this widget.
    QPoint markPlace(TraceTime aligned);
    // Ends a drag of a lane without effect; false when there is none.
    bool cancelShift();
    // Lets go of a lane, or its edge, that is being dragged: it stays where it was.
    bool cancelLane();
    // The same of a drag that selects.
    bool cancelRange();

    struct AreaDrag {
        TimeRange range;         // aligned
        std::string first, last; // keys of the lanes under its ends, as it went; "" where there is none
        ReportKey from, to;      // the reports of these, in the order of time; invalid: none
        bool isAdding = false;   // to the areas that there are
        bool isFinal = false;    // the button was released
    };

  signals:
    void hovered(const Hit& hit, QPoint position);
    void hoverLeft();
    void clicked(const Hit& hit);
    void pickToggled(const Hit& hit); // by Ctrl and a click
    void doubleClicked(const Hit& hit);
    // While the mouse moves over lanes.
    void areaDragged(const TimelineCanvas::AreaDrag& drag);
    // A lane is dragged along the axis: by Alt and the left button, or by Ctrl in its header.
    void laneShifted(uint32_t lane, Duration by, QPoint position, bool isFinal);
    void zoomRequested(TraceTime at, double factor);
    void panRequested(Duration by);
    void scrollRequested(int pixels);
    void headerWidthRequested(double atScaleOne);
    // A header was dragged onto another lane; both by key.
    void laneDropped(const std::string& moved, const std::string& over);
    // The lower edge of a header is dragged: rows of this height at scale 1; 0: as before, it was let go by
    // Escape. By key.
    void rowHeightDragged(const std::string& lane, int height, bool isFinal);
    // A double click there: as tall as all others.
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
    // The marked rank's line, device pixels; empty where none is seen.
    QRect markRect();
    void paintDrop(QPainter& painter);
    void drag(QMouseEvent* event);
    void tellArea(QPointF at, bool isFinal);
    // Its key; the nearest one for a position above or below all.
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
    bool m_isStale = true;       // m_list
    bool m_needsPainting = true; // m_image
    bool m_needsHeaders = false; // of it, where it needs nothing else
    Drag m_drag = Drag::none;
    QPointF m_pressedAt;
    QPointF m_draggedTo;
    std::string m_pressedLane; // by key: lanes may come while the mouse moves
    ReportKey m_pressedReport;
    LaneEdge m_edge; // that is dragged
    bool m_isAdding = false;
};

} // namespace lockstep
