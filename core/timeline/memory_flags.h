// SPDX-License-Identifier: Apache-2.0
// Memory flags: out-of-memory events as flags in the row of the process, because that row has no data of its
// own. A pole connects each flag to the lane of the device below. Part of layOut(). Pure. O(memory lanes in
// the frame * width).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

void layOutMemoryFlags(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
