// SPDX-License-Identifier: Apache-2.0
// runWindow() runs the program with a window.
#pragma once

#include <filesystem>
#include <vector>

#include "app/run/demo_run.h"
#include "core/base/memory_budget.h"
#include "core/base/workers.h"

namespace lockstep {

// Runs the window until it is closed and returns the exit status. Opens the inputs at once. If `memory` has
// no limit or fields of `disk` are unset, the user's settings are used. Reads from argv:
//   --theme light|dark    overrides the user's choice for this run
//   --size WxH            of the window
//   --screenshot FILE     saves an image of the window once everything is loaded, then quits; exit status 3
//   on failure
// Other arguments belong to Qt (-platform, -style) or were handled earlier. Runs and shows `demo`, if given;
// the demo ends with the window.
int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& inputs, const Workers& workers,
              MemoryBudget& memory, const SpillFolder::Options& disk, std::shared_ptr<DemoRun> demo = {});

} // namespace lockstep
