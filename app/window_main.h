// SPDX-License-Identifier: Apache-2.0
// The window as the program starts it.
#pragma once

#include <filesystem>
#include <vector>

#include "app/demo_run.h"
#include "core/base/memory_budget.h"
#include "core/base/workers.h"

namespace lockstep {

// Runs the window until it is closed and returns the exit status. inputs are opened at once. memory without
// a limit gets the user's choice, and so does what disk leaves open. Of argv it reads
//   --theme light|dark    overrides the user's choice for this run
//   --size WxH            of the window
//   --screenshot FILE     saves a picture of the window once everything is loaded, then leaves; 3 when it
//   cannot
// Everything else is Qt's (-platform, -style) or was handled before. demo: is run and shown; it ends with the
// window.
int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& inputs, const Workers& workers,
              MemoryBudget& memory, const SpillFolder::Options& disk, std::shared_ptr<DemoRun> demo = {});

} // namespace lockstep
