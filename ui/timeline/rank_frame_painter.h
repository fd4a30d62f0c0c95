// SPDX-License-Identifier: Apache-2.0
// The frame around the rank of a map that the keyboard has in hand, with an arrow at its name: light on dark
// and dark on light, as the cells have any colour. GUI thread.
#pragma once

#include <QPainter>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

// line: of the rank, in device pixels, as the painter's are; nothing for an empty one.
void paintRankFrame(QPainter& painter, const QRect& line, const TimelineState& state);

} // namespace lockstep
