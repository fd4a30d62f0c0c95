// SPDX-License-Identifier: Apache-2.0
// Imports launches and configuration files of frameworks that a recipe describes. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/session/import_text.h"
#include "core/session/recipes/launch_recipe.h"

namespace lockstep {

// Imports a command with its environment. A variable of a setting becomes that setting if the plan then
// writes it again; other variables are kept. A value that the recipe rejects is kept, with a finding.
ImportedSession importRecipeLaunch(const LaunchRecipe& recipe, const TextPairs& environment,
                                   std::vector<std::string> command);
// Returns the recipe that has a setting or import rule for one of the variables, or nullptr.
const LaunchRecipe* recipeOfEnvironment(const TextPairs& environment);

// Imports the framework's own YAML file: the length of the run, and all other keys into importedYaml.
ImportedSession importRecipeYaml(const LaunchRecipe& recipe, const ConfigValue& root);
// Returns the recipe with one of the file's top-level keys among its `configuration`, or nullptr.
const LaunchRecipe* recipeOfYaml(const ConfigValue& root);

} // namespace lockstep
