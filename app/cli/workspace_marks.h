// SPDX-License-Identifier: Apache-2.0
// readWorkspaceMarks() reads the markers from those inputs of a headless export that are workspaces. They are
// used for the `notes` table and for a new workspace file. Any thread.
#pragma once

#include <vector>

#include "app/cli/cli.h"
#include "app/cli/console.h"
#include "core/analysis/input_file.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// Returns true if `what` is the name or an alias of the `notes` table.
bool isNotes(std::string_view what);

// Returns the markers of all opened inputs, in order; the markers of the second and later workspaces are
// renumbered. Returns no markers if the command line does not use them. The notes in the result are messages,
// safe to print and with the file name, about markers that could not be read or did not fit. Reads the
// directory of each file, but no reports. Error: invalid (the command line uses markers in an unsupported
// way).
Result<ReadMarks> readWorkspaceMarks(const CommandLine& line, const std::vector<InputFile>& files,
                                     Console& console);

} // namespace lockstep
