// SPDX-License-Identifier: Apache-2.0
// RankMapLane: a collapsed group of many ranks as one image. Each line shows one rank, or several ranks if
// the map has fewer rows of pixels than ranks. The map shows either the activity (computing, communicating,
// copying, idle), the utilization, the waiting time or the memory. The share of ranks in each state is drawn
// above the map, and the utilization and lateness of each rank are drawn next to it.
#pragma once

#include "core/timeline/lane_kind.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

struct RankMapHitData {
    std::shared_ptr<const RankMap> map;
    uint32_t line = 0; // index in the lines of the map
    uint32_t rank = 0; // index in the ranks of the map: the rank that represents the line, or was chosen
};

struct RankMapRowData {
    std::shared_ptr<const RankMap> map;
    HeatMap heat;
};

class RankMapLane final : public LaneKind {
  public:
    std::string_view name() const override { return "rank map"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    bool hasRows() const override { return false; }
    int controlsHeight(const FrameMetrics& metrics) const override { return metrics.mapControls; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    bool isWide() const override { return true; }
    const HeatMap* heat(const DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool press(const Scene& scene, const Hit& hit, LaneState& state) const override;
    uint32_t targetOf(const Hit& hit) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
