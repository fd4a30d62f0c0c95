// SPDX-License-Identifier: Apache-2.0
// ViewWindow: the visible part of the aligned axis. All times are aligned. The visible range is never shorter
// than kShortest and remains within the bounds. Gaps in the axis are collapsed unless expanded; a view inside
// a gap expands it. Value type, owned by the timeline view.
#pragma once

#include <memory>
#include <vector>

#include "core/timeline/axis_folds.h"

namespace lockstep {

class ViewWindow {
  public:
    static constexpr Duration kShortest{10};

    ViewWindow() = default;
    // Initially shows the entire bounds.
    explicit ViewWindow(TimeRange bounds);

    TimeRange visible() const { return m_visible; }
    // Returns the displayable range: all data with a margin on both sides. The margin is 2% of the time
    // without gaps, and at least kShortest.
    TimeRange bounds() const { return m_bounds; }
    // Keeps the visible range if it is within the new bounds.
    void setBounds(TimeRange extent);
    // Shifts all times by this amount, so that the same data remains visible.
    void moveAxis(Duration by);

    // Sets the gaps that may be collapsed, in ascending order; gaps that are expanded remain expanded. part:
    // see AxisFolds.
    void setGaps(std::vector<TimeRange> gaps);
    void setBandPart(double part);
    const std::vector<TimeRange>& gaps() const { return m_gaps; }
    bool isOpen(TimeRange gap) const;
    // Expands or collapses all gaps that overlap the range.
    void setOpen(TimeRange gap, bool isOpen);
    // Returns the expanded ranges for saving, including the ranges of gaps that no longer exist.
    const std::vector<TimeRange>& opened() const { return m_opened; }
    void setOpened(std::vector<TimeRange> opened);
    const AxisFolds& folds() const { return m_folds; }
    PixelScale scale(int width) const { return m_folds.scale(m_visible, width); }
    // Returns the pixel scale of the entire displayable range.
    PixelScale scaleOfBounds(int width) const { return m_folds.scale(m_bounds, width); }
    // Returns a length in ns without collapsed time, see AxisFolds. The length between two times depends on
    // which gaps are currently collapsed; it is negative if the second time is earlier.
    Duration lengthOnAxis() const;
    Duration distance(TraceTime from, TraceTime to) const;
    TraceTime middle() const;
    // Interpolates between two ranges so that the animation looks uniform on the axis.
    TimeRange between(TimeRange from, TimeRange to, double part) const;

    // Zooms while keeping `at` fixed on the screen. factor < 1 shows less.
    void zoomAt(TraceTime at, double factor);
    // Pans by a share of the visible length; positive = later.
    void panBy(double part);
    void panBy(Duration by); // on the axis, see lengthOnAxis()
    // Moves the visible range so that the given range is in the center.
    void centerOn(TraceTime at);
    void show(TimeRange range);
    void showAll() { show(m_bounds); }

  private:
    TimeRange clamped(TimeRange range) const;
    TimeRange onFolds(TraceTime begin, double zoom) const;
    void fold();
    void fit(); // called when the set of gaps changes

    TimeRange m_extent;
    TimeRange m_bounds{{0}, {1'000'000'000}};
    TimeRange m_visible{{0}, {1'000'000'000}};
    std::vector<TimeRange> m_gaps;
    std::vector<TimeRange> m_opened; // gaps that overlap these ranges are expanded
    double m_part = 0;
    AxisFolds m_folds;
};

} // namespace lockstep
