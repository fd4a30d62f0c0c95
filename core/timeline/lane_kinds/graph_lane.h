// SPDX-License-Identifier: Apache-2.0
// GraphLane: CUDA graph events, node by node. Most events have no duration, and thousands of them may share a
// pixel, so the height represents the number of events. Events with a duration are drawn as boxes, like
// slices.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class GraphLane final : public SliceLane {
  public:
    std::string_view name() const override { return "graph events"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

} // namespace lockstep
