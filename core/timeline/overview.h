// Overview: how busy the whole workspace was, as one row over its whole time. Made for the minimap when the
// workspace or the minimap's width changes. Pure.
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

// Columns of the average GPU occupancy over all processes (of what stands for them, where a process has no
// GPU), over `range` (aligned) at `width` pixels. O(processes * width).
DisplayRow layOutOverview(const Scene& scene, TimeRange range, int width);

} // namespace lockstep
