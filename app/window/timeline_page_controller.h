// SPDX-License-Identifier: Apache-2.0
// TimelinePageController is the Page that shows the reports: it manages the timeline, the search, the
// breadcrumb in the strip, and the restoration of the view from a workspace. UI thread.
#pragma once

#include "app/window/hover_text.h"
#include "app/window/reports_page.h"
#include "app/window/search_controller.h"
#include "app/window/window_parts.h"
#include "ui/models/work.h"
#include "ui/models/zoom_trail.h"

class QMenu;

namespace lockstep {

class CompareController;
class CompareView;
class ExportController;
class GoToController;
class LaneSetsController;
class QueryLanesController;
class TimelineView;
class ViewsController;

class TimelinePageController : public ReportsPage {
    Q_OBJECT

  public:
    explicit TimelinePageController(const WindowParts& parts);

    QWidget* widget() const override;
    QString helpPage() const override { return "timeline"; }
    bool hasDocks() const override { return true; }
    std::vector<CommandId> actions() const override;
    void setTheme(const Theme& theme) override;
    void setKeys(const KeyMap& keys) override;
    void setScene(const ScenePtr& scene) override;
    bool isBusy() const override;
    GoToController& goTo() const { return *m_goTo; }
    ViewsController& views() const { return *m_views; }
    LaneSetsController& laneSets() const { return *m_laneSets; }
    QueryLanesController& queryLanes() const { return *m_queryLanes; }

    // Sets the visible range, the selection, the lanes and the gaps to those that are shown.
    void addTo(Work& work) const;
    // Sets whether the view follows live data. While following, the page does not zoom by itself, and the
    // breadcrumb is the whole range and the visible one.
    void setFollowing(bool follows);
    bool isFollowing() const { return m_isFollowing; }
    void showAtOnce(TimeRange aligned);
    // See NavigationTool.
    void glideTo(TimeRange aligned);
    bool canGlide() const;

    // Restores the lanes at once, and the visible range once the saved alignment is restored. axisUtc_ns: the
    // Unix time at the zero of the axis to which the times in `work` refer; nullopt: they refer to the axis
    // of the restored reports.
    void restore(const Work& work, std::optional<int64_t> axisUtc_ns = std::nullopt);

  signals:
    void logRequested(); // requests the log of the selected slice's host
    void laneMenuOpening(const std::string& lane, QMenu& menu); // see LaneTool::menuOpening()
    void navigated(); // the view moved, but not by showAtOnce() or a new scene

  private:
    // Applies the settings for gaps, ruler and row height.
    void applySettings();
    void connectActions();
    void connectClocks();
    void connectStrip();
    void connectSlices();
    void showSlice(bool inKernels);
    void settleView();
    void groupLanes();
    void showHiddenReports();
    void restoreView();
    void moveToCurrentAxis(Work& work) const;
    void shift(const std::vector<ReportKey>& reports, Duration by);

    WindowParts m_parts;
    TimelineView* m_timeline;
    CompareView* m_view;
    CompareController* m_compare = nullptr;
    GoToController* m_goTo = nullptr;
    ExportController* m_export = nullptr;
    ViewsController* m_views = nullptr;
    LaneSetsController* m_laneSets = nullptr;
    QueryLanesController* m_queryLanes = nullptr;
    ZoomTrail m_trail;
    SearchController* m_search; // searches on the timeline
    HoverText m_hover;
    QTimer m_rest; // delays until the visible range has stopped moving
    std::optional<Work> m_toRestore;
    std::pair<LaneGrouping, SampleLaneChoice> m_arrangement; // that was last requested
    bool m_isFollowing = false;
    // True if live data was followed since reports were opened, so the view is kept.
    bool m_hasFollowed = false;
    std::optional<int64_t> m_restoredAxisUtc_ns; // see restore()
};

} // namespace lockstep
