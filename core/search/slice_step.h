// SPDX-License-Identifier: Apache-2.0
// Navigation from one slice to the next, along its row or along links. Pure. O(log slices).
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

// Returns the next (or previous) slice at the same depth of its track, continuing with the adjacent capture
// on the same row of its lane. Invalid at the end of the row.
SliceRef sliceAfter(const Scene& scene, SliceRef slice);
SliceRef sliceBefore(const Scene& scene, SliceRef slice);

// Returns the first effect or the first cause of this slice; invalid if there is none.
SliceRef firstEffect(const Workspace& workspace, SliceRef slice);
SliceRef firstCause(const Workspace& workspace, SliceRef slice);

} // namespace lockstep
