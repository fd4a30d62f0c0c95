// SPDX-License-Identifier: Apache-2.0
// The header of a rank map: the choices above it, the names of hosts and ranks, and the utilization and
// lateness of each line. Part of RankMapLane. Pure.
#pragma once

#include "core/timeline/lane_kind.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

// Adds labels and bars to the lane's header, which is the last in frame.list.lanes.
void addRankMapHeader(LaneFrame& frame, const LanePlace& place);
// Applies a click on one of the choices in the header; returns false for other values.
bool chooseInHeader(int choice, RankMapChoice& out);

} // namespace lockstep
