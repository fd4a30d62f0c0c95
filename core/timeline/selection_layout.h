// SPDX-License-Identifier: Apache-2.0
// Selection layout: the outlines of the selected slice and of the slices linked to it, and the curves between
// them. Part of layOut(). Pure. O(links of the slice (at most kMaxLinks) + visible lanes).
#pragma once

#include "core/timeline/layout.h"

namespace lockstep {

inline constexpr size_t kMaxLinks = 64;

// Returns the links of a slice, at most kMaxLinks: first those in which it is the cause, then those in which
// it is the effect.
std::vector<Link> linksOf(const Report& report, SliceId slice);

void layOutSelection(const Scene& scene, const FrameView& view, DisplayList& list);

} // namespace lockstep
