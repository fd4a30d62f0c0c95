// SPDX-License-Identifier: Apache-2.0
// LossLane: data is missing here: hatched where that is known, else from end to end; the card says what is.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

class LossLane final : public LaneKind {
  public:
    std::string_view name() const override { return "hatch"; }
    bool takes(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool isCalled(const Lane& lane, const NameMatcher& isMatch) const override; // also by what was lost
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
