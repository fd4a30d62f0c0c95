// SPDX-License-Identifier: Apache-2.0
// ProjectionLane: NVTX ranges projected onto a GPU, one row per depth and thread. Its slices are those of the
// ranges on the CPU: a click selects the range itself. A collapsed lane with ranges of several threads shows
// how much of each pixel they cover.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class ProjectionLane final : public SliceLane {
  public:
    std::string_view name() const override { return "projection"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

} // namespace lockstep
