// SPDX-License-Identifier: Apache-2.0
// Area layout: the frames of area selections over the visible lanes and over their headers, and the outlines
// of selected and highlighted slices. Part of layOut(), after lanes and rows. Pure. O(visible lanes + lanes
// named by areas + selected slices in view).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

void layOutAreas(const Scene& scene, const FrameView& view, DisplayList& list);
void layOutPicks(const Scene& scene, const FrameView& view, DisplayList& list);
// Outlines highlighted slices, like layOutPicks() does for selected slices. Highlighted slices are also
// outlined on rows of collapsed lanes that show individual slices.
void layOutHighlights(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
