// SPDX-License-Identifier: Apache-2.0
// Painting of highlighted slices: everything in the lanes except the highlighted slices is dimmed in the same
// way as everything outside the area selections. UI thread, or the thread that makes an image.
#pragma once

#include <QPainter>

#include "core/timeline/display_list.h"
#include "ui/style/theme.h"

namespace lockstep {

// Dims everything in the frame except list.lit; list.isHighlighted must be true. O(n log n) for n highlighted
// shapes.
void dimAllButHighlighted(QPainter& painter, const DisplayList& list, const Theme& theme);

} // namespace lockstep
