// SPDX-License-Identifier: Apache-2.0
// The environment variables for the Lockstep capture library, and the reports that it writes.
// capture/format/FORMAT.md documents the variables. Pure. Thread: any.
#pragma once

#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the path of the capture library on the host if Lockstep installs it there. Returns "" if the
// session sets the path or another tool is selected.
std::string installedLibraryPath(const RecipeInput& input);

// Returns the variables, or an empty list unless the session's tool is capture. LOCKSTEP_RANKS and
// LOCKSTEP_STEPS are comma-separated lists. If no steps are set, all steps are recorded.
TextPairs captureEnvironment(const RecipeInput& input);
// Returns the folder for the reports: save_path, otherwise `reports` in the run folder. A relative path is
// relative to the working folder.
std::string captureFolder(const SessionConfig& config);
// Returns the capture range: cudaProfilerApi, nvtx:NAME[@DOMAIN] or all. The default is cudaProfilerApi (the
// program's own calls around its steps). If no steps are set, or under Ray, the default is all.
std::string captureRange(const SessionConfig& config);
// Returns how the library identifies a step, or nullopt if no steps are set.
std::optional<CaptureSteps> captureStepsAre(const SessionConfig& config);
// Returns the ranks that are recorded; empty = all ranks. If the framework has roles, returns the ranks of
// all roles. Rank 0 is recorded for an enabled role without ranks.
std::vector<int64_t> captureRanks(const SessionConfig& config);

// Adds the run's ID to the environment of the host's processes, for the metadata in their reports. Does so
// only if they load the library and the session does not set an ID. Returns true if the ID was added.
void setRunId(HostPlan& host, const std::string& run);
bool hasRunId(const HostPlan& host, const std::string& run);

// Adds one line per host. In discrete mode, one report per step is certain. Any further reports are not part
// of the forecast.
void forecastCapture(const RecipeInput& input, std::vector<ExpectedFile>& files);

} // namespace lockstep
