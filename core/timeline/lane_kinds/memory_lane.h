// SPDX-License-Identifier: Apache-2.0
// MemoryLane: a device's memory as a snapshot's history tells it: active memory as areas that lie on each
// other, by what it is for or by the stacks that took most, and reserved memory as a line over them. A pixel
// shows the moment of it with the most active memory, so that no peak is lost. Steps, snapshots and failed
// allocations are marked.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

class MemoryLane final : public LaneKind {
  public:
    std::string_view name() const override { return "memory"; }
    bool takes(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    bool hasRows() const override { return false; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool followsCursor() const override { return true; }
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool isCalled(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
