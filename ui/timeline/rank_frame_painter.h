// SPDX-License-Identifier: Apache-2.0
// The frame around the current rank of a rank map, with an arrow that points at the rank's name. The frame
// consists of a light and a dark line, so that it is visible on cells of any color. UI thread.
#pragma once

#include <QPainter>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

// Paints the frame around `line`, the rank's cells in device pixels. An empty rectangle paints nothing.
void paintRankFrame(QPainter& painter, const QRect& line, const TimelineState& state);

} // namespace lockstep
