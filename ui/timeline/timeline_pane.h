// SPDX-License-Identifier: Apache-2.0
// TimelinePane lets a timeline be a pane of a comparison: it holds the pane's settings, lends and borrows the
// overview widgets, and returns the geometry of the lanes. UI thread.
#pragma once

#include <QRect>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class NavigationTool;

class TimelinePane {
  public:
    // Both arguments must outlive the pane.
    TimelinePane(TimelineContext& context, NavigationTool& navigation);

    // Turns the view into a pane of a comparison or, with nullopt, back into a full timeline. A pane does not
    // collapse gaps and reserves room for its scroll bar.
    void setHalf(const std::optional<TimelineHalf>& half);
    // Places a second overview below this view's own overview, and a title above the lanes. They stay until
    // they are replaced or moved to another view. nullptr for none.
    void insertWidgets(QWidget* secondOverview, QWidget* title);
    // Returns the overview, which may be held by another view; reclaimOverview() returns it to this view.
    QWidget* overview() const;
    void reclaimOverview();
    // Return rectangles in pixels of the view: lanesRect() for the lanes with their headers, the other for a
    // slice whose lane is shown. The slice may be outside the visible range.
    QRect lanesRect() const;
    QRect sliceRect(SliceRef slice) const;

  private:
    TimelineContext& m_context;
    NavigationTool& m_navigation;
    QWidget* m_secondOverview = nullptr;
    QWidget* m_title = nullptr;
};

} // namespace lockstep
