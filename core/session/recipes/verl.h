// SPDX-License-Identifier: Apache-2.0
// The parts that the recipes of verl and VeRL-Omni share. Pure. Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the command followed by verl's overrides. Ray's runtime environment passes the Lockstep capture
// variables to the workers.
Result<RecipeProgram> verlProgram(const RecipeInput& input);
void checkVerl(const RecipeInput& input, Findings& findings);
// Adds the reports written per role, rank, step and stage.
void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files);

} // namespace lockstep
