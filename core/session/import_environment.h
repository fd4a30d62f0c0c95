// SPDX-License-Identifier: Apache-2.0
// Imports environment variables as session settings: those of a framework's recipe, and those of Lockstep
// capture. Pure. Thread: any.
#pragma once

#include <optional>

#include "core/session/import_text.h"

namespace lockstep {

// Imports variables without a command. They become a session of the framework whose recipe imports one of
// them, otherwise a session for a plain command.
ImportedSession importEnvironment(TextPairs environment);

// Returns "3, 4". For more than twelve steps, returns "3, 4, ..., 90 (88 steps)".
std::string stepListText(const std::vector<int64_t>& steps);

// Imports the Lockstep capture variables that a script exports. Reads the environment, and the variables that
// overrides pass to Ray's workers. Changes nothing unless an injection variable contains
// liblockstep_capture.so. If a different tool is found, only adds a finding.
void importCaptureEnvironment(ImportedSession& made);

} // namespace lockstep
