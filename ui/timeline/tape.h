// SPDX-License-Identifier: Apache-2.0
// The painter of a Tape, the two-point ruler of the timeline: where its ends are, and the distance between
// them as it may be told. GUI thread.
#pragma once

#include "ui/timeline/timeline_state.h"

class QPainter;

namespace lockstep {

// Over the lanes: a line at each end, and the distance between them. `lanes` in device pixels.
void paintTape(QPainter& painter, const QRect& lanes, const TimelineState& state, const Tape& tape);

} // namespace lockstep
