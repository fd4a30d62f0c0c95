// SPDX-License-Identifier: Apache-2.0
// Finds the counterpart of a slice in the next scene. This preserves the selection when one report replaces
// another: the chunks of a live recording, and finally the collected report. Pure.
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

// Returns the slice itself if its report is still open under the same key. For a chunk of a recording,
// returns the slice in the same recording that has the same position in its file, the same start and the same
// name. Returns an invalid reference if there is no such slice. O(1), or O(slices of new reports) after a
// chunk was replaced.
SliceRef sliceInNext(const Scene& last, const Scene& next, SliceRef slice);

} // namespace lockstep
