// SPDX-License-Identifier: Apache-2.0
// The groups of rules that preflight() is made of. Each is a file of its own; framework rules are in
// recipes/.
#pragma once

#include "core/session/finding.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Keys of the session file and profiler overrides that nothing reads, with the nearest that is read.
void checkKeys(const RecipeInput& input, Findings& findings);
// trainer.nnodes and its like against the hosts; GPUs per host; ranks of the hook.
void checkWorld(const RecipeInput& input, Findings& findings);
// Settings of a tool that is not the one chosen.
void checkIdleSettings(const RecipeInput& input, Findings& findings);
// Steps: unique, from 1, within the run.
void checkSteps(const RecipeInput& input, Findings& findings);
// Lockstep's own capture: range, steps, library, and what a host's programs can load.
void checkCapture(const RecipeInput& input, Findings& findings);
// Names, values and versions of nsys options.
void checkNsysOptions(const RecipeInput& input, Findings& findings);
// torch contents, schedule, token window; memory snapshots.
void checkTorch(const RecipeInput& input, Findings& findings);
// Secrets in clear, and ways to a process on which they would be lost.
void checkSecrets(const RecipeInput& input, Findings& findings);
// Ascend's profiler and the precision debugger: words, and what a release takes.
void checkAscend(const RecipeInput& input, Findings& findings);
// Host facts against the set-up and the forecast.
void checkHosts(const RecipeInput& input, Findings& findings);
// Folders, programs and names that a probed host does not have.
void checkNeeds(const RecipeInput& input, Findings& findings);
// The environment of the plan and of the hosts: who else hooks into CUDA.
void checkInjection(const RecipeInput& input, const LaunchPlan& plan, Findings& findings);

} // namespace lockstep
