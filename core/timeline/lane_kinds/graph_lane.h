// SPDX-License-Identifier: Apache-2.0
// GraphLane: what CUDA graphs go through, node by node: most of it takes no time, thousands at once, so a
// pixel is as tall as there is much in it; what takes time is a box like any slice.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class GraphLane final : public SliceLane {
  public:
    std::string_view name() const override { return "graph events"; }
    bool takes(const Lane& lane, bool isCollapsed) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

} // namespace lockstep
