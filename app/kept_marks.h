// SPDX-License-Identifier: Apache-2.0
// KeptMarks: the marks that the workspaces among the inputs of a headless export hold: what the table `notes`
// is made of, and what a new workspace file takes along. Any thread.
#pragma once

#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "core/analysis/input_file.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// The table of them, however it is spelled.
bool isNotes(std::string_view what);

// Of all inputs that could be opened, in their order; of several workspaces, numbered on; none where the line
// asks for nothing that holds any. notes are what was told: what could not be read or had no room, with the
// file's name. Reads a directory of each file, and no reports. invalid: the line asks of them what they
// cannot answer.
Result<ReadMarks> keptMarks(const CommandLine& line, const std::vector<InputFile>& files, Console& console);

} // namespace lockstep
