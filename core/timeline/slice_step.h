// SPDX-License-Identifier: Apache-2.0
// Steps from one slice to the next: along its row, and along links. Pure; O(log slices).
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

// The slice after (or before) this one at the same depth of its track, going on with the next capture on the
// same row of its lane, or the one before; an invalid one at the row's end.
SliceRef sliceAfter(const Scene& scene, SliceRef slice);
SliceRef sliceBefore(const Scene& scene, SliceRef slice);

// The first slice that this one caused, or the first that caused it; an invalid one when there is none.
SliceRef firstEffect(const Workspace& workspace, SliceRef slice);
SliceRef firstCause(const Workspace& workspace, SliceRef slice);

} // namespace lockstep
