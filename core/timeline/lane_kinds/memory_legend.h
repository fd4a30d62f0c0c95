// SPDX-License-Identifier: Apache-2.0
// Memory legend: the header of a memory lane, a row an area with its bytes at the cursor or at the peak of
// what is seen, and the values of its scale at the right edge. Part of MemoryLane; pure, O(strides in view).
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

// To the lane that was placed last.
void addMemoryLegend(LaneFrame& frame, const LanePlace& place);
void addMemoryScale(LaneFrame& frame, const LanePlace& place);

} // namespace lockstep
