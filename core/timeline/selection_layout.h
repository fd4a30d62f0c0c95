// SPDX-License-Identifier: Apache-2.0
// Selection layout: the marks around the selected slice and those it is linked with, and the curves between
// them. Part of layOut(); pure, O(links of the slice, at most kMostLinks) and the lanes shown.
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

inline constexpr size_t kMostLinks = 64;

// Links of a slice as cause first, then as effect; at most kMostLinks.
std::vector<Link> linksOf(const Report& report, SliceId slice);

void layOutSelection(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
