// SPDX-License-Identifier: Apache-2.0
// Memory legend: the header of a memory lane, with one row per area and its bytes at the cursor or at the
// visible peak, and the scale values at the right edge. Part of MemoryLane. Pure. O(strides in view).
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

// Adds the legend to the lane that was placed last.
void addMemoryLegend(LaneFrame& frame, const LanePlace& place);
void addMemoryScale(LaneFrame& frame, const LanePlace& place);

} // namespace lockstep
