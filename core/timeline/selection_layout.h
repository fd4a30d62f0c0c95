// SPDX-License-Identifier: Apache-2.0
// Selection layout: the outlines of selected and highlighted slices, the slices linked to the selected one,
// and the frames of area selections. Part of layOut(), after lanes and rows. Pure.
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

// Adds the outlines of the selected slice and of the slices linked to it, and the curves between them.
// O(links of the slice (at most 64) + visible lanes).
void layOutSelection(const Scene& scene, const FrameView& view, DisplayList& list);
// Adds the frames of area selections over the visible lanes and over their headers. O(visible lanes + lanes
// named by areas).
void layOutAreas(const Scene& scene, const FrameView& view, DisplayList& list);
// Outlines selected slices, and those that served the selected request. O(slices in view).
void layOutPicks(const Scene& scene, const FrameView& view, DisplayList& list);
// Outlines highlighted slices, like layOutPicks() does for selected slices. Highlighted slices are also
// outlined on rows of collapsed lanes that show individual slices.
void layOutHighlights(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
