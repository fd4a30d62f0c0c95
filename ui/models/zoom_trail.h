// SPDX-License-Identifier: Apache-2.0
// ZoomTrail is the path from the whole workspace to the visible range, as the breadcrumb shows it. Each crumb
// is inside the previous one and at most a third as long. Value type without widgets.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

class ZoomTrail {
  public:
    // Sets a new whole range. Keeps the trail if the range only grew, as it does while data arrives;
    // otherwise clears the trail.
    void setWhole(TimeRange whole);
    // Replaces the trail below the whole range by a range that moves by itself, as while following new data.
    void follow(TimeRange visible);
    // Records the range that is visible after the view has stopped moving. Zooming in adds a crumb, panning
    // moves the last one, and zooming out removes the crumbs that do not contain the view.
    void visit(TimeRange visible);
    // Returns the crumbs from the whole range to the visible range; empty if no whole range is set.
    const std::vector<TimeRange>& crumbs() const { return m_crumbs; }

  private:
    std::vector<TimeRange> m_crumbs;
};

} // namespace lockstep
