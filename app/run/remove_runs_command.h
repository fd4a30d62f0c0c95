// SPDX-License-Identifier: Apache-2.0
// `lockstep --remove-runs [--older-than DAYS]`: removes the folders of ended runs on this machine and on
// their hosts. Workspaces and reports are kept. Needs no display.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

// Returns kComplete if every ended run of at least that age was removed, kPart if a host did not respond or a
// folder could not be removed. In the second case the run is kept, and the reason is printed to standard
// error.
int removeRuns(int argc, char** argv, const CommandLine& line);

} // namespace lockstep
