// SPDX-License-Identifier: Apache-2.0
// QueryLane: the slices of a SQL query result. They do not belong to any report, so they cannot be selected,
// searched or counted; the hover card states the query.
#pragma once

#include "core/timeline/lane_kinds/slice_lane.h"

namespace lockstep {

class QueryLane final : public SliceLane {
  public:
    std::string_view name() const override { return "query"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    uint32_t rowCount(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
};

} // namespace lockstep
