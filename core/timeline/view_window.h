// SPDX-License-Identifier: Apache-2.0
// ViewWindow: which part of the aligned axis is shown, and the zooms that led there. Owned by the timeline
// view; a value. All times are aligned. The visible range is never shorter than kShortest and stays within
// the bounds.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

class ViewWindow {
  public:
    static constexpr Duration kShortest{10};

    ViewWindow() = default;
    // Shows all of bounds.
    explicit ViewWindow(TimeRange bounds);

    TimeRange visible() const { return m_visible; }
    // What can be shown: everything there is and a margin of 2 % (at least kShortest) on both sides.
    TimeRange bounds() const { return m_bounds; }
    // Keeps the visible range where the new bounds allow it.
    void setBounds(TimeRange extent);
    // All times read by this much more from now on: the same moments stay visible.
    void moveAxis(Duration by);

    // Zooms so that `at` keeps its place on the screen. factor < 1 shows less.
    void zoomAt(TraceTime at, double factor);
    // Moves by a part of the visible length; positive = later.
    void panBy(double part);
    void panBy(Duration by);
    void show(TimeRange range);
    void showAll() { show(m_bounds); }

    // Remembers the visible range as a place to come back to; a place equal to the last one is kept once.
    void remember();
    // False where there is nothing to go back (or forth) to.
    bool undo();
    bool redo();
    // Oldest first, the current place last: the breadcrumb.
    std::vector<TimeRange> trail() const;

  private:
    TimeRange clamped(TimeRange range) const;

    TimeRange m_bounds{{0}, {1'000'000'000}};
    TimeRange m_visible{{0}, {1'000'000'000}};
    std::vector<TimeRange> m_back;
    std::vector<TimeRange> m_forth;
};

} // namespace lockstep
