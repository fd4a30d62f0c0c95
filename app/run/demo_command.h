// SPDX-License-Identifier: Apache-2.0
// `lockstep --demo` without a display: runs the demo, then writes an image and tables next to the demo's
// reports.
#pragma once

#include <functional>

#include "app/cli/cli.h"
#include "app/run/demo_run.h"
#include "core/base/workers.h"

namespace lockstep {

// Runs an export as main() does. Returns an exitStatus.
using ExportFiles = std::function<int(const CommandLine&)>;

// Writes the files to demo.folder(). If the demo cannot run, writes synthetic reports to
// demo.syntheticFolder() and reports this on standard error. draws: true if this build can draw images.
// Returns an exitStatus; kPart if a rank's report is missing.
int demoInFiles(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo,
                bool draws, const ExportFiles& exportFiles);

} // namespace lockstep
