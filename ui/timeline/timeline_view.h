// SPDX-License-Identifier: Apache-2.0
// TimelineView is the timeline as one widget: minimap, ruler and lanes. The timeline page sets the scenes.
// The visible range and the selection are those of a ViewState, which panels may change as well. The view
// owns the tools, which handle all input over the lanes, and decides the order in which they get events and
// paint. All times are aligned. UI thread.
#pragma once

#include <QWidget>

#include "ui/timeline/area_tool.h"
#include "ui/timeline/hover_tool.h"
#include "ui/timeline/lane_drag_tool.h"
#include "ui/timeline/lane_tool.h"
#include "ui/timeline/marks_tool.h"
#include "ui/timeline/measuring_tool.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/rank_map_tool.h"
#include "ui/timeline/selection_tool.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/timeline_pane.h"

namespace lockstep {

class DistantReportBar;

class TimelineView : public QWidget {
    Q_OBJECT

  public:
    // `view` owns the visible range and the selection. It and `notices` must outlive this widget.
    TimelineView(ViewState& view, Notices& notices, Workers workers, QWidget* parent = nullptr);
    ~TimelineView() override;

    // Replaces the scene (never null). Visible range, lane state and selection are preserved where possible.
    void setScene(ScenePtr scene);
    const Scene& scene() const { return state().scene(); }
    const TimelineState& state() const { return m_context.state; }
    ViewState& viewState() const { return m_context.view; }
    Notices& notices() const { return m_context.notices; }
    void setTheme(const Theme& theme); // one of themeOf()
    // Sets the hits of the window's search, which are marked in lanes, headers and overview; null for no
    // search.
    void setHits(std::shared_ptr<const HitRows> hits);
    void scrollTo(int y); // device pixels

    void setKeys(const TimelineKeyMap& keys);
    const TimelineKeyMap& keys() const { return m_context.keys; }
    // Returns true if run() carries the command out itself, false if run() emits commandRequested().
    bool canRun(CommandId command) const { return m_context.tools.canRun(command); }
    // Runs a command of the timeline. Returns false if there is nothing that it could apply to.
    bool run(CommandId command);

    NavigationTool& navigation() { return m_navigation; }
    SelectionTool& selector() { return m_selection; }
    LaneTool& lanes() { return m_lanes; }
    LaneDragTool& laneDrag() { return m_laneDrag; }
    MarksTool& marks() { return m_marks; }
    HoverTool& hover() { return m_hover; }
    SliceCommands& sliceCommands() { return m_slices; }
    TimelinePane& pane() { return m_pane; }
    const TimelinePane& pane() const { return m_pane; }
    // Returns the bar that informs the user of a distant report.
    DistantReportBar* distantReportBar() const { return m_distantReport; }
    // Returns what is on screen, for tests and accessibility.
    const DisplayList& displayList();

  signals:
    void scrolledTo(int y);                   // device pixels
    void commandRequested(CommandId command); // a command that the window carries out

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void placeWidgets();
    void setToolOrder();
    void updateScale();

    TimelineContext m_context;
    DistantReportBar* m_distantReport;
    NavigationTool m_navigation{m_context};
    LaneTool m_lanes{m_context};
    HoverTool m_hover{m_context};
    SelectionTool m_selection{m_context, m_navigation, m_lanes};
    AreaTool m_area{m_context, m_selection, m_hover};
    RankMapTool m_rankMap{m_context, m_navigation, m_lanes, m_hover};
    LaneDragTool m_laneDrag{m_context, m_lanes, m_hover};
    MarksTool m_marks{m_context, m_navigation, m_selection, m_hover};
    MeasuringTool m_measuring{m_context, m_navigation, m_marks};
    SliceCommands m_slices{m_context, m_navigation, m_lanes, m_selection, m_marks};
    TimelinePane m_pane{m_context, m_navigation};
};

} // namespace lockstep
