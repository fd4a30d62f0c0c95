// SPDX-License-Identifier: Apache-2.0
// PhaseLane: what a process was at, phase by phase of a reinforcement-learning step, and over it, hatched,
// its bubbles: when its devices stood idle while those of another role worked. What a click selects is the
// range that a phase is told by.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class PhaseLane final : public SliceLane {
  public:
    std::string_view name() const override { return "phases"; }
    bool takes(const Lane& lane, bool isCollapsed) const override;
    std::string value(const Scene& scene, uint32_t lane) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool isCalled(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
