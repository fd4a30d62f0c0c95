// SPDX-License-Identifier: Apache-2.0
// The rule groups for preflight(), in preflight_*.cpp. Framework rules are in recipes/.
#pragma once

#include "core/session/finding.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Checks for unknown keys in the session file and in profiler overrides, and suggests the most similar known
// key.
void checkKeys(const RecipeInput& input, Findings& findings);
// Compares node counts such as trainer.nnodes with the hosts; checks GPUs per host and the hook's ranks.
void checkWorld(const RecipeInput& input, Findings& findings);
// Reports settings for tools that are not selected.
void checkIdleSettings(const RecipeInput& input, Findings& findings);
// Checks that steps are unique, at least 1, and within the length of the run.
void checkSteps(const RecipeInput& input, Findings& findings);
// Checks Lockstep capture: range, steps, library, and whether programs on the hosts can load it.
void checkCapture(const RecipeInput& input, Findings& findings);
// Checks names, values and versions of nsys options.
void checkNsysOptions(const RecipeInput& input, Findings& findings);
// Checks torch contents, schedule and token window, and memory snapshots.
void checkTorch(const RecipeInput& input, Findings& findings);
// Reports secrets in clear text, and launchers that may not pass them on.
void checkSecrets(const RecipeInput& input, Findings& findings);
// Checks Ascend's profiler and the precision debugger: values, and support in the release.
void checkAscend(const RecipeInput& input, Findings& findings);
// Reports references such as $SLURM_NNODES that a host cannot resolve, and other variables in texts.
void checkReferences(const RecipeInput& input, Findings& findings);
// Reports folders with reports that the host of a container may not see.
void checkContainerFolders(const RecipeInput& input, Findings& findings);
// Compares host information with the session and the forecast.
void checkHosts(const RecipeInput& input, Findings& findings);
// Compares the forecast cost of a recording with the memory of the hosts and the timeout of collectives.
void checkCost(const RecipeInput& input, Findings& findings);
// Reports folders, programs and names that are missing on a probed host.
void checkNeeds(const RecipeInput& input, Findings& findings);
// Reports other profilers in the environment of the plan and of the hosts.
void checkInjection(const RecipeInput& input, const LaunchPlan& plan, Findings& findings);

} // namespace lockstep
