// SPDX-License-Identifier: Apache-2.0
// TimelinePageController: the Page on which the reports are looked at: the timeline, the search and the
// breadcrumb in the strip, and the view that comes back with a workspace. UI thread.
#pragma once

#include "app/hover_text.h"
#include "app/reports_page.h"
#include "app/search_controller.h"
#include "app/window_parts.h"
#include "app/window_state.h"
#include "ui/models/zoom_trail.h"

namespace lockstep {

class CompareController;
class CompareView;
class GoToController;
class LaneSetsController;
class TimelineView;
class ViewsController;

class TimelinePageController : public ReportsPage {
    Q_OBJECT

  public:
    explicit TimelinePageController(const WindowParts& parts);

    QWidget* widget() const override;
    QString helpPage() const override { return "timeline"; }
    bool hasDocks() const override { return true; }
    std::vector<ActionId> actions() const override;
    void setTheme(const Theme& theme) override;
    void setKeys(const KeyMap& keys) override;
    void setScene(const ScenePtr& scene) override;
    bool isBusy() const override;
    GoToController& goTo() const { return *m_goTo; }
    CompareController& comparing() const { return *m_compare; }
    ViewsController& views() const { return *m_views; }
    LaneSetsController& laneSets() const { return *m_laneSets; }

    // What of the state is this page's: what is seen and selected, and the lanes.
    void addTo(WindowState& state) const;
    // While the view is moved on with what arrives: it goes nowhere by itself, and leaves no trail.
    void setFollowing(bool follows);
    // Which silence is folded, what the ruler counts, how high rows are.
    void takeSettings();
    TimeRange visibleRange() const;
    void showAtOnce(TimeRange aligned);

    // Lanes at once; what is seen once the reports lie on the axis as they did.
    void restore(const WindowState& state);

  signals:
    void laneStateChanged(); // by the user
    void sentElsewhere();    // the view, by anything but showAtOnce() and a scene
    void newestRequested();  // End was pressed

  private:
    void connectActions();
    void connectClocks();
    void connectStrip();
    void connectSlices();
    void showSlice(bool inKernels);
    void settleView();
    void groupLanes();
    void restoreView();
    void shift(const std::vector<ReportKey>& reports, Duration by);

    WindowParts m_parts;
    TimelineView* m_timeline;
    CompareView* m_view;
    CompareController* m_compare = nullptr;
    GoToController* m_goTo = nullptr;
    ViewsController* m_views = nullptr;
    LaneSetsController* m_laneSets = nullptr;
    ZoomTrail m_trail;
    SearchController* m_search; // the timeline's
    HoverText m_hover;
    QTimer m_rest; // since the visible range last moved
    std::optional<WindowState> m_toRestore;
    LaneGrouping m_grouping = LaneGrouping::automatic; // as last asked for
    bool m_isFollowing = false;
    bool m_hasFollowed = false; // what is open: whoever left the newest is where they want to be
};

} // namespace lockstep
