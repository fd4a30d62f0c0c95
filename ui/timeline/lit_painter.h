// SPDX-License-Identifier: Apache-2.0
// Paints what is lit in a frame: all of the lanes' times but the lit slices is washed towards the background,
// as what lies in no selected area is. UI thread, or whoever paints a picture.
#pragma once

#include <QPainter>

#include "core/timeline/display_list.h"
#include "ui/style/theme.h"

namespace lockstep {

// list.isLit. O(lit shapes * log).
void paintLit(QPainter& painter, const DisplayList& list, const Theme& theme);

} // namespace lockstep
