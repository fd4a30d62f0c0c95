// SPDX-License-Identifier: Apache-2.0
// mergedNotes(): the notes of workers that took turns on one file, as one worker alone would have made them.
// Used by readers whose workers take pieces of a file as they come.
#pragma once

#include <span>

#include "core/trace/import_notes.h"

namespace lockstep {

// Of each kind the sum and the example with the lowest place ("byte 120394", "row 17"); kinds in the order of
// these places. No matter who met what.
ImportNotes mergedNotes(std::span<const ImportNotes* const> workers);

} // namespace lockstep
