// SPDX-License-Identifier: Apache-2.0
// ZoomHistory: the ranges that a view showed, for undo and redo. All times are aligned. Value type, owned by
// the timeline view.
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

class ZoomHistory {
  public:
    // Adds a range that the view is about to leave; equal consecutive ranges are stored once.
    void remember(TimeRange visible);
    // Return the range to show next, or nullopt if there is none. `visible` is the range to which the
    // opposite command returns.
    std::optional<TimeRange> undo(TimeRange visible);
    std::optional<TimeRange> redo(TimeRange visible);
    // Shifts all times by this amount, so that the ranges show the same data.
    void moveAxis(Duration by);

  private:
    std::vector<TimeRange> m_back;
    std::vector<TimeRange> m_forth;
};

} // namespace lockstep
