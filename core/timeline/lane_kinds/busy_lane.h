// SPDX-License-Identifier: Apache-2.0
// BusyLane: how busy something was, as height, in the colour of what kept it busy: a GPU, or all that a
// folded lane holds, captures of one thing united and things averaged.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class BusyLane final : public SliceLane {
  public:
    std::string_view name() const override { return "busy"; }
    bool takes(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
};

} // namespace lockstep
