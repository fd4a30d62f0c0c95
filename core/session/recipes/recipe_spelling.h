// SPDX-License-Identifier: Apache-2.0
// Writes a setting of a recipe in the form that the framework reads. Pure. Thread: any.
#pragma once

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Adds the words of the setting to `made.overrides`, or its variable to `made.environment`. A switch that is
// off and an empty list of values add nothing.
void addSpelling(const RecipeTo& to, const ConfigValue& value, RecipeProgram& made);

} // namespace lockstep
