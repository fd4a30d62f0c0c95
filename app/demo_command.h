// SPDX-License-Identifier: Apache-2.0
// `lockstep --demo` without a display: the demo's run, then its picture and tables in files beside its
// reports.
#pragma once

#include <functional>

#include "app/cli.h"
#include "app/demo_run.h"
#include "core/base/workers.h"

namespace lockstep {

// Writes an export as main() does: an exitStatus.
using ExportFiles = std::function<int(const CommandLine&)>;

// Into demo.folder(). Where the run cannot be made, the files are of invented reports, lie in
// demo.madeUpFolder(), and standard error says so. draws: this build makes pictures. Returns an exitStatus;
// part where a rank's report is missing.
int demoInFiles(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo,
                bool draws, const ExportFiles& exportFiles);

} // namespace lockstep
