// SPDX-License-Identifier: Apache-2.0
// `lockstep --remove-runs [--older-than DAYS]`: removes what ended runs left: their folders on this machine
// and on their hosts. Workspaces and reports stay. Needs no display.
#pragma once

#include "app/cli.h"

namespace lockstep {

// Returns an exitStatus: complete when every run that is old enough and has ended was removed, part when a
// host did not answer or a folder could not be removed; such a run is kept, and why is on standard error.
int removeRuns(int argc, char** argv, const CommandLine& line);

} // namespace lockstep
