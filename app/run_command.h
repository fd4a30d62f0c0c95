// SPDX-License-Identifier: Apache-2.0
// `lockstep --run`, `--attach` and `--stop`: launches a session and watches it, or picks a started run up
// again, or ends it; collects its reports and ends with the workspace written. Needs no display. Ctrl-C lets
// go of the run without stopping it.
#pragma once

#include "app/cli.h"
#include "core/base/workers.h"

namespace lockstep {

// line.task is run, attach or stop. Returns an exitStatus: complete when every host ended well and every
// report that was expected or found is verified in the workspace; part when something is missing (what and
// why is on standard error and in the ledger); nothing when no workspace could be written; interrupted when
// it let go.
int runHeadless(int argc, char** argv, const CommandLine& line, const Workers& workers);

class DemoRun;

// The demo's run: launched, watched and collected like any other into demo.workspace(), in lines to read.
// Ctrl-C lets go of it, and it ends with the demo. The same exit statuses.
int runDemo(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo);

} // namespace lockstep
