// SPDX-License-Identifier: Apache-2.0
// LossLane: data loss, drawn hatched at the times of the loss, or over the whole width if these times are
// unknown. The hover card describes the loss.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

class LossLane final : public LaneKind {
  public:
    std::string_view name() const override { return "hatch"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    bool isProblem() const override { return true; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane,
                     const NameMatcher& isMatch) const override; // also matches the description of the loss
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
