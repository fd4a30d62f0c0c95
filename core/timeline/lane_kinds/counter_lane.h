// SPDX-License-Identifier: Apache-2.0
// CounterLane: values over time, two rows high. The min-max range of each pixel is drawn in full color, the
// area below it in a lighter shade.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

// The values of a counter within one pixel, as fractions of the lane's scale from 0 (bottom) to 1 (top).
struct CounterColumn {
    uint16_t x = 0;
    float min = 0;
    float max = 0;
    double last = 0; // in the unit of the track
};

struct CounterHitData {
    double value = 0; // in the unit of the track
};

struct CounterRowData {
    std::vector<CounterColumn> columns; // ascending by x; only pixels with a known value
};

class CounterLane final : public LaneKind {
  public:
    std::string_view name() const override { return "counter"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    int endOf(const DisplayRow& row) const override;
    void separate(int x, DisplayRow& earlier, DisplayRow& later) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
