// SPDX-License-Identifier: Apache-2.0
// AreaTool selects areas of time and lanes by dragging over the lanes, and several slices by Ctrl+click. With
// Ctrl, a drag adds to the selected areas. UI thread.
#pragma once

#include <optional>

#include <QPointF>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class HoverTool;
class SelectionTool;

class AreaTool : public TimelineTool {
  public:
    // All arguments must outlive the tool.
    AreaTool(TimelineContext& context, SelectionTool& selection, HoverTool& hover);

    bool press(const QMouseEvent& event) override;
    void move(const QMouseEvent& event) override;
    bool release(const QMouseEvent& event) override;

  private:
    void drag(QPointF at, bool isFinal);
    bool cancel();
    void togglePick(SliceRef slice);
    ReportKey reportAt(QPointF position) const;
    // Returns the lanes on screen from `first` to `last`. Collapsed lanes include everything below them.
    std::vector<AreaLane> lanesBetween(const std::string& first, const std::string& last) const;

    TimelineContext& m_context;
    ViewState& m_view;
    SelectionTool& m_selection;
    HoverTool& m_hover;
    bool m_isArea = false; // false until the mouse has moved far enough
    bool m_isAdding = false;
    QPointF m_pressedAt;
    std::string m_lane; // stored as a key, because indices change if lanes are added during the drag
    ReportKey m_report;
    std::optional<Selection> m_before; // selection before the current drag began
};

} // namespace lockstep
