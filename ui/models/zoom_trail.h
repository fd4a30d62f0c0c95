// SPDX-License-Identifier: Apache-2.0
// ZoomTrail: the way from the whole workspace to what is visible now, as the breadcrumb shows it: each crumb
// lies in the one before and is at most a third of it. A plain value without widgets.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

class ZoomTrail {
  public:
    // A new whole: forgets the way.
    void setWhole(TimeRange whole);
    // Where the view came to rest. Zooming in adds a crumb, panning moves the last one, zooming out drops
    // those that the view outgrew.
    void visit(TimeRange visible);
    // Whole first, what is visible last; empty while there is no whole.
    const std::vector<TimeRange>& crumbs() const { return m_crumbs; }

  private:
    std::vector<TimeRange> m_crumbs;
};

} // namespace lockstep
