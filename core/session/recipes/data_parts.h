// SPDX-License-Identifier: Apache-2.0
// The parts of the interpreter of recipes: data_recipe.cpp writes the command, data_forecast.cpp expects the
// reports, data_checks.cpp checks the session. Pure. Thread: any.
#pragma once

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the recipe of the session's framework.
const LaunchRecipe& recipeOf(const RecipeInput& input);
// Returns the session with the recipe's options for nsys, unless the session sets them itself.
SessionConfig withNsysOptions(const LaunchRecipe& recipe, SessionConfig config);
// Returns whether Lockstep starts nsys around the command.
bool isAroundCommand(const LaunchRecipe& recipe, const SessionConfig& config);

void forecastData(const RecipeInput& input, std::vector<ExpectedFile>& files);
void checkData(const RecipeInput& input, Findings& findings);
// Returns why a value is not of the type or not one of the choices, or "".
std::string recipeValueProblem(RecipeType type, const std::vector<std::string>& choices,
                               const ConfigValue& value);

} // namespace lockstep
