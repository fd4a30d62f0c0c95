// SPDX-License-Identifier: Apache-2.0
// mergedNotes() merges the notes of workers that shared one file. The result is the same as with a single
// worker. Used by readers whose workers take the next part of a file as soon as they are free.
#pragma once

#include <span>

#include "core/trace/import_notes.h"

namespace lockstep {

// Returns, for each kind, the total count and the example with the lowest position ("byte 120394", "row 17"),
// with kinds in the order of these positions. The result does not depend on how the work was distributed.
ImportNotes mergedNotes(std::span<const ImportNotes* const> workers);

} // namespace lockstep
