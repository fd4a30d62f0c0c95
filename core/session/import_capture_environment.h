// SPDX-License-Identifier: Apache-2.0
// Variables of Lockstep's own capture, as a script that records with it exports them, become the session's
// own settings. Pure; any thread.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Looks at the environment, and at what overrides hand to Ray's workers. Without liblockstep_capture.so in an
// injection variable nothing is changed, nor where another tool was found: then a finding says so.
void takeCaptureEnvironment(ImportedSession& made);

} // namespace lockstep
