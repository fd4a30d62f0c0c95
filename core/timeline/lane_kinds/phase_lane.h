// SPDX-License-Identifier: Apache-2.0
// PhaseLane: the reinforcement-learning phases of a process. Bubbles are hatched above the phases. A bubble
// is a time when the process's devices were idle while the devices of another role were working. A click
// selects the range that defines the phase.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class PhaseLane final : public SliceLane {
  public:
    std::string_view name() const override { return "phases"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    std::string value(const Scene& scene, uint32_t lane) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
