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

} // namespace lockstep
