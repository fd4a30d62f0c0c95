// SPDX-License-Identifier: Apache-2.0
// Interprets a LaunchRecipe for a session: the command with its profiling settings, the reports that it
// writes, and the checks before the launch. Pure. Thread: any.
#pragma once

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// A setting or question of a recipe that is no field of the session, for the form.
struct RecipeSettingRow {
    std::string name;
    RecipeType type = RecipeType::text;
    std::string comment;
    std::vector<std::string> choices;
    std::string given;   // the session's value as text, "" = not set
    std::string applies; // the value that applies if the session sets none, "" = unknown or none
};

// Returns the settings of the session's recipe that apply to its tool and command, in the order of the
// recipe. Empty for a framework without a recipe.
std::vector<RecipeSettingRow> recipeSettingRows(const SessionConfig& config);
// Sets one of them from text; "" clears it. Errors: invalid for text that is not of the setting's type.
Status setRecipeSetting(SessionConfig& config, std::string_view name, std::string_view text);

// Returns the functions of a recipe that is data. The recipe must be one of launchRecipes().
Recipe dataRecipe(const LaunchRecipe& recipe, Framework framework);

} // namespace lockstep
