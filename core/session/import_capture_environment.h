// SPDX-License-Identifier: Apache-2.0
// Imports the Lockstep capture variables that a script exports as session settings. Pure. Thread: any.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Reads the environment, and the variables that overrides pass to Ray's workers. Changes nothing unless an
// injection variable contains liblockstep_capture.so. If a different tool is found, only adds a finding.
void importCaptureEnvironment(ImportedSession& made);

} // namespace lockstep
