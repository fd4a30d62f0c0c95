// SPDX-License-Identifier: Apache-2.0
// `lockstep --plan SESSION --resolve`: runs the script of a session on its hosts without starting the
// training, and prints the plan with the recorded commands. Needs no display.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

// Returns the status of planCommand(), or kPart if the script failed on a host or started no training,
// kNothing if nothing could be run, kUsage if the user does not agree, kInterrupted after Ctrl-C, which ends
// the scripts.
int resolvePlan(int argc, char** argv, const CommandLine& line);

} // namespace lockstep
