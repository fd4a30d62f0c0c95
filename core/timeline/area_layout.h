// SPDX-License-Identifier: Apache-2.0
// Area layout: the frames of selected areas over the lanes that a frame shows, which headers are theirs, and
// the marks around picked slices and where lit ones are. Part of layOut(), after lanes and rows; pure.
// O(lanes shown and lanes named by areas, picked slices in sight).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

void layOutAreas(const Scene& scene, const FrameView& view, DisplayList& list);
void layOutPicks(const Scene& scene, const FrameView& view, DisplayList& list);
// The same of what is lit, on rows of folded lanes too where these show the slices themselves.
void layOutLit(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
