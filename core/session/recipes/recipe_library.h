// SPDX-License-Identifier: Apache-2.0
// The recipes of this program: those that are built in, and the user's. Read once, when first asked for.
// Immutable afterwards. Thread: any.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/session/recipes/launch_recipe.h"

namespace lockstep {

// Returns the recipes in the order in which they are tried for a launch: the user's, then the built-in ones,
// each by file name. A user's recipe replaces a built-in one of the same name. The user's recipes lie in
// $XDG_CONFIG_HOME/lockstep/recipes, otherwise ~/.config/lockstep/recipes.
std::span<const LaunchRecipe> launchRecipes();
// Reads the user's recipes from another folder: those that a launch was planned with, on the host. Call it
// before any other function of this header.
void useRecipeFolder(const std::filesystem::path& folder);
// Returns one message for each file of the user that is not a recipe.
const std::vector<std::string>& recipeProblems();
// Returns the recipe with this name, or nullptr.
const LaunchRecipe* findLaunchRecipe(std::string_view name);

struct RecipeText {
    std::string file, text;
    bool isOfUser = false;
};
// Returns the texts of the recipes in the same order, with those that are replaced or invalid. Reads the
// files of the user. `problems` receives a message for each that cannot be read.
std::vector<RecipeText> recipeTexts(std::vector<std::string>* problems = nullptr);

// The texts of the built-in recipes: file name and content. packaging/recipes.cmake writes this function.
std::vector<std::pair<std::string_view, std::string_view>> builtInRecipes();

} // namespace lockstep
