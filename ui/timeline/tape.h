// SPDX-License-Identifier: Apache-2.0
// Painting of a Tape, the two-point ruler of the timeline: the two ends, and the distance between them with
// its clock error. UI thread.
#pragma once

#include "ui/timeline/timeline_state.h"

class QPainter;

namespace lockstep {

// Paints a line at each end, and the distance between them, over the lanes. `lanes` is in device pixels.
void paintTape(QPainter& painter, const QRect& lanes, const TimelineState& state, const Tape& tape);

} // namespace lockstep
