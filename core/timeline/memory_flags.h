// SPDX-License-Identifier: Apache-2.0
// Memory flags: where memory ran out, as a flag in the row of the process, which holds no data, on a pole
// down to the lane whose device it was. Part of layOut(); pure, O(memory lanes in the frame * width).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

void layOutMemoryFlags(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
