// SPDX-License-Identifier: Apache-2.0
// Severity and message text of an input's import notes, as a headless run prints them. Pure; any thread.
#pragma once

#include <string>

#include "core/trace/import_notes.h"

namespace lockstep {

// Returns 0 if nothing is missing, 1 if the recording lost rows, 2 if rows in the file are missing, 3 if the
// file is truncated or corrupt.
int gravity(const ImportNote& note);
// Returns the text of the note, with the number of occurrences and the location of the first one.
std::string noteText(const ImportNote& note);

} // namespace lockstep
