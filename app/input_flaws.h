// SPDX-License-Identifier: Apache-2.0
// What is wrong with an input, as a headless run tells it: which of its notes weigh most, in one line each.
// Made of a report's notes. Pure; any thread.
#pragma once

#include <string>

#include "core/trace/import_notes.h"

namespace lockstep {

// 0 = nothing is missing, 1 = the run lost rows, 2 = rows of the file are missing, 3 = the file is cut or
// damaged.
int gravity(const ImportNote& note);
// How often, and where first.
std::string noteText(const ImportNote& note);

} // namespace lockstep
