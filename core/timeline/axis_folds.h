// SPDX-License-Identifier: Apache-2.0
// AxisFolds: the collapsed gaps of the axis, and the mapping of times and distances on it. Outside of gaps,
// time is linear. A collapsed gap is a band that takes a fixed part of the view's width. It takes less if the
// bands would take more than half of the axis, and never more than the expanded gap would take. Time is
// linear within a band too, so the mapping between times and pixels is monotonic and has no gaps. Value type;
// pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/scene/quiet_time.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

// Minimum length of a gap. A stretch without activity is a gap only if it is longer than both values.
struct GapRule {
    bool isOn = true;
    double steps = 20; // in median step durations; ignored if no step is marked
    Duration least{60'000'000'000};

    friend bool operator==(const GapRule&, const GapRule&) = default;
};

// Returns the longest gaps, at most kMaxGaps of them, in chronological order.
inline constexpr size_t kMaxGaps = 200;
std::vector<TimeRange> gapsOf(const QuietTime& quiet, const GapRule& rule);

// Returns the length in whole seconds: "4 min 12 s", and from an hour on as durationText() does: "2 d 5 h".
std::string gapText(Duration length);

class AxisFolds {
  public:
    AxisFolds() = default;
    // gaps: ascending, disjoint. extent: the displayable range. part: fraction of the width that one band
    // takes.
    AxisFolds(std::vector<TimeRange> gaps, TimeRange extent, double part);

    bool isEmpty() const { return m_gaps.empty(); }
    std::span<const TimeRange> gaps() const { return m_gaps; }
    // Returns the gap that contains t, or nullptr.
    const TimeRange* at(TraceTime time) const;

    // Returns the length of a visible range in ns, without its collapsed time. This length is the zoom.
    double lengthOf(TimeRange visible) const;
    // Returns the distance between two times on the axis at a given zoom; negative if the second time is
    // earlier.
    double distance(TraceTime from, TraceTime to, double zoom) const;
    // Returns the time at a given distance from a time; the inverse of distance().
    TraceTime moved(TraceTime from, double by, double zoom) const;
    // Returns the pixel scale for a visible range. Each stretch and each band has at least one pixel.
    PixelScale scale(TimeRange visible, int width) const;

    friend bool operator==(const AxisFolds&, const AxisFolds&) = default;

  private:
    double mostOf(TimeRange gap) const;
    double bandOf(TimeRange gap, double zoom) const;
    // Returns the first gap that ends after t.
    std::vector<TimeRange>::const_iterator firstAfter(TraceTime t) const;

    std::vector<TimeRange> m_gaps;
    double m_part = 0;
    double m_most_ns = 0; // length of a collapsed band on the axis
};

} // namespace lockstep
