// SPDX-License-Identifier: Apache-2.0
// What Lockstep's own capture library is told through a program's environment, and the reports that it leaves
// then. capture/format/FORMAT.md says what each variable means. Pure; any thread.
#pragma once

#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Where Lockstep's library lies on the host that is planned: as the session names it, else where it was put
// when the host was asked, else a place below "~/": the host was not asked yet.
std::string captureLibraryPath(const RecipeInput& input);
// The same where Lockstep puts it there itself; "" where the session names it, or another tool is chosen.
std::string putLibraryPath(const RecipeInput& input);

// Empty unless the session's tool is capture. LOCKSTEP_RANKS and LOCKSTEP_STEPS are comma lists; no steps
// means all.
TextPairs captureEnvironment(const RecipeInput& input);
// Folder for its files: save_path, else `reports` in the run folder; below the working folder where relative.
std::string captureFolder(const SessionConfig& config);
// cudaProfilerApi, nvtx:NAME[@DOMAIN] or all, where the session does not say: the program's own calls around
// its steps, and the whole run where there are none or the program is under Ray.
std::string captureRange(const SessionConfig& config);
// How the library knows a step; empty where no steps are chosen.
std::optional<CaptureSteps> captureStepsAre(const SessionConfig& config);
// Those that record; empty for all. Of roles together, where the framework has any: as verl has it, an
// enabled role that names no ranks records its rank 0.
std::vector<int64_t> captureRanks(const SessionConfig& config);

// Tells the host's processes the run's id, for the metadata of their reports, where they carry the library
// and the session has no name of its own for it. Whether they are told it.
void nameRun(HostPlan& host, const std::string& run);
bool isRunNamed(const HostPlan& host, const std::string& run);

// One line a host. In discrete mode one report a step is sure to come, the rest is found beside the forecast.
void forecastCapture(const RecipeInput& input, std::vector<ExpectedFile>& files);

} // namespace lockstep
