// SPDX-License-Identifier: Apache-2.0
// ViewWindow: which part of the aligned axis is shown, and the zooms that led there. Owned by the timeline
// view; a value. All times are aligned. The visible range is never shorter than kShortest and stays within
// the bounds. Gaps of the axis are folded in it, unless they were opened: what is seen wholly within one
// opens it.
#pragma once

#include <memory>
#include <vector>

#include "core/timeline/axis_folds.h"

namespace lockstep {

class ViewWindow {
  public:
    static constexpr Duration kShortest{10};

    ViewWindow() = default;
    // Shows all of bounds.
    explicit ViewWindow(TimeRange bounds);

    TimeRange visible() const { return m_visible; }
    // What can be shown: everything there is and a margin of 2 % (of what is no gap, at least kShortest) on
    // both sides.
    TimeRange bounds() const { return m_bounds; }
    // Keeps the visible range where the new bounds allow it.
    void setBounds(TimeRange extent);
    // All times read by this much more from now on: the same moments stay visible.
    void moveAxis(Duration by);

    // What may be folded, ascending; what was opened stays open. part: see AxisFolds.
    void setGaps(std::vector<TimeRange> gaps);
    void setBandPart(double part);
    const std::vector<TimeRange>& gaps() const { return m_gaps; }
    bool isOpen(TimeRange gap) const;
    // All that overlap it.
    void setOpen(TimeRange gap, bool isOpen);
    // What was opened, for keeping; also of gaps that are not there now.
    const std::vector<TimeRange>& opened() const { return m_opened; }
    void setOpened(std::vector<TimeRange> opened);
    const AxisFolds& folds() const { return m_folds; }
    PixelScale scale(int width) const { return m_folds.scale(m_visible, width); }
    // The same of all that can be shown.
    PixelScale scaleOfBounds(int width) const { return m_folds.scale(m_bounds, width); }
    // ns of what is not folded: see AxisFolds. Between two times: as they are seen now, negative backwards.
    Duration lengthOnAxis() const;
    Duration distance(TraceTime from, TraceTime to) const;
    TraceTime middle() const;
    // Part of the way from one range to another, as it looks even on the axis.
    TimeRange between(TimeRange from, TimeRange to, double part) const;

    // Zooms so that `at` keeps its place on the screen. factor < 1 shows less.
    void zoomAt(TraceTime at, double factor);
    // Moves by a part of the visible length; positive = later.
    void panBy(double part);
    void panBy(Duration by); // on the axis, see lengthOnAxis()
    // Moves so that it lies in the middle.
    void centreOn(TraceTime at);
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
    TimeRange onFolds(TraceTime begin, double zoom) const;
    void fold();
    void fit(); // what there is is another

    TimeRange m_extent;
    TimeRange m_bounds{{0}, {1'000'000'000}};
    TimeRange m_visible{{0}, {1'000'000'000}};
    std::vector<TimeRange> m_gaps;
    std::vector<TimeRange> m_opened; // that these overlap
    double m_part = 0;
    AxisFolds m_folds;
    std::vector<TimeRange> m_back;
    std::vector<TimeRange> m_forth;
};

} // namespace lockstep
