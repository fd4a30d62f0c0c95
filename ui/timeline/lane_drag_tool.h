// SPDX-License-Identifier: Apache-2.0
// LaneDragTool handles the drags on lane headers: moving a lane within its group, shifting a lane in time
// (Alt+drag, or Ctrl+drag on the header), the row height at a lower edge, and the width of the headers. UI
// thread.
#pragma once

#include <QObject>
#include <QPointF>

#include "ui/timeline/lane_edge.h"
#include "ui/timeline/timeline_context.h"

namespace lockstep {

class HoverTool;
class LaneTool;

class LaneDragTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    // All arguments must outlive the tool.
    LaneDragTool(TimelineContext& context, LaneTool& lanes, HoverTool& hover);

    // Removes the preview of a shift that the user did not accept.
    void cancelShift();

    bool press(const QMouseEvent& event) override;
    void move(const QMouseEvent& event) override;
    bool release(const QMouseEvent& event) override;
    void hover(const QMouseEvent& event) override;
    bool doubleClick(const QMouseEvent& event) override;
    void paint(QPainter& painter) override;

  signals:
    // Emitted when a lane group was dragged along the time axis. The reports of the group are shown shifted
    // until the next setScene() or cancelShift().
    void shiftRequested(const std::vector<ReportKey>& reports, Duration by);

  private:
    enum class Drag : uint8_t { none, press /* may become lane */, lane, headerEdge, laneEdge, shift };

    Drag dragOf(const QMouseEvent& event);
    bool isAtHeaderEdge(double x) const;
    LaneEdge edgeAt(QPointF position) const;
    void dragEdge(QPointF position, bool isFinal);
    void shift(Duration by, QPointF position, bool isFinal);
    bool cancel();

    TimelineContext& m_context;
    TimelineState& m_state;
    LaneTool& m_lanes;
    HoverTool& m_hover;
    Drag m_drag = Drag::none;
    QPointF m_pressedAt, m_draggedTo;
    std::string m_lane; // stored as a key, because indices change if lanes are added during the drag
    LaneEdge m_edge;    // the edge that is dragged
};

} // namespace lockstep
