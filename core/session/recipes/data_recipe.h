// SPDX-License-Identifier: Apache-2.0
// Interprets a LaunchRecipe for a session: the command with its profiling settings, the reports that it
// writes, and the checks before the launch. Pure. Thread: any.
#pragma once

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the functions of a recipe that is data. The recipe must be one of launchRecipes().
Recipe dataRecipe(const LaunchRecipe& recipe, Framework framework);

} // namespace lockstep
