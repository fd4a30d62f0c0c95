// SPDX-License-Identifier: Apache-2.0
// BusyLane: draws utilization as height, in the color of the dominant activity, for a GPU or for all content
// of a collapsed lane. Captures of the same source are merged; different sources are averaged.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class BusyLane final : public SliceLane {
  public:
    std::string_view name() const override { return "busy"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
};

} // namespace lockstep
