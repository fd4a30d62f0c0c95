// SPDX-License-Identifier: Apache-2.0
// AxisFolds: the gaps that are folded in the axis, and how times and distances on the axis relate then. All
// around a gap time runs evenly; a folded gap is a band of a fixed part of the view's width, less where bands
// would take more than half of the axis, and never more than it would take unfolded. Within a band time runs
// evenly too: the map between times and pixels is monotone and has no holes. A value; pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/scene/quiet_time.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

// Which quiet stretches are gaps: those longer than both.
struct GapRule {
    bool isOn = true;
    double steps = 20; // median steps; where no step is marked only `least` counts
    Duration least{60'000'000'000};

    friend bool operator==(const GapRule&, const GapRule&) = default;
};

// At most kMostGaps, the longest; ascending.
inline constexpr size_t kMostGaps = 200;
std::vector<TimeRange> gapsOf(const QuietTime& quiet, const GapRule& rule);

// "4 min 12 s", "3 h 20 min", "2 d 5 h".
std::string gapText(Duration length);

class AxisFolds {
  public:
    AxisFolds() = default;
    // gaps: ascending, apart. extent: all that can be shown. part: of the width, that a band takes.
    AxisFolds(std::vector<TimeRange> gaps, TimeRange extent, double part);

    bool isEmpty() const { return m_gaps.empty(); }
    std::span<const TimeRange> gaps() const { return m_gaps; }
    // The gap that holds it; nullptr where none does.
    const TimeRange* at(TraceTime time) const;

    // How long a visible range is on the axis, in ns of what is not folded: its zoom.
    double lengthOf(TimeRange visible) const;
    // From one time to another on the axis at a zoom; negative backwards.
    double distance(TraceTime from, TraceTime to, double zoom) const;
    // The time that far from another: the inverse.
    TraceTime moved(TraceTime from, double by, double zoom) const;
    // Pixels of a visible range. What is not folded has a pixel at least, and so has each band.
    PixelScale scale(TimeRange visible, int width) const;

    friend bool operator==(const AxisFolds&, const AxisFolds&) = default;

  private:
    double mostOf(TimeRange gap) const;
    double bandOf(TimeRange gap, double zoom) const;
    // The first gap that ends after t.
    std::vector<TimeRange>::const_iterator firstAfter(TraceTime t) const;

    std::vector<TimeRange> m_gaps;
    double m_part = 0;
    double m_most_ns = 0; // of axis, that one band takes
};

} // namespace lockstep
