// SPDX-License-Identifier: Apache-2.0
// Where a slice of one scene is in the next: what is selected stays selected while reports take each other's
// place, as the pieces of a recording do that is watched, and the collected report at its end. Pure.
#pragma once

#include "core/scene/scene.h"

namespace lockstep {

// The slice itself while its report is open under its key. Of a piece, the slice of the same recording that
// stands at the same place in its file, begins at the same time and is called the same. Invalid where there
// is none. O(1), or O(slices of new reports) once a piece is gone.
SliceRef sliceInNext(const Scene& last, const Scene& next, SliceRef slice);

} // namespace lockstep
