// SPDX-License-Identifier: Apache-2.0
// The header of a rank map: the choices above it, the names of hosts and ranks, how busy and how late each
// line is. Part of RankMapLane; pure.
#pragma once

#include "core/timeline/lane_kind.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

// Adds texts and bars to the lane's header, which is the last of frame.list.lanes.
void addRankMapHeader(LaneFrame& frame, const LanePlace& place);
// What a click on one of its choices means; false for none of them.
bool chooseInHeader(int choice, RankMapChoice& out);

} // namespace lockstep
