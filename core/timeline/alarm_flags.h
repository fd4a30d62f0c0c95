// SPDX-License-Identifier: Apache-2.0
// Alarm flags: the alarms of rows, such as out-of-memory events, as flags in the row of the process, because
// that row has no data of its own. A pole connects each flag to the lane of the alarm. Part of layOut().
// Pure. O(alarms in the frame).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

void layOutAlarmFlags(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
