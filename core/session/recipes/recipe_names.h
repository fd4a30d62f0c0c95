// SPDX-License-Identifier: Apache-2.0
// Checks the names in the expressions and texts of a recipe. Pure. Thread: any.
#pragma once

#include "core/session/recipes/launch_recipe.h"

namespace lockstep {

// Returns the names that every recipe can use in expressions, without `env.NAME`.
std::span<const std::string_view> builtInRecipeNames();

// Errors: invalid, with line and column, for a name or era that is not defined, and for a variable or setting
// whose value depends on itself.
Status checkRecipeNames(const LaunchRecipe& recipe);

} // namespace lockstep
