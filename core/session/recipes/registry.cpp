// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/data_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_library.h"

namespace lockstep {

std::span<const Recipe> recipes()
{
#define LOCKSTEP_ENTRY(function) function(),
    static const std::vector<Recipe> kRecipes = [] {
        std::vector<Recipe> made{LOCKSTEP_RECIPES(LOCKSTEP_ENTRY)};
        const std::span<const std::string_view> names = enumNames(Framework{});
        for (size_t i = made.size(); i < names.size(); ++i)
            made.push_back(dataRecipe(*findLaunchRecipe(names[i]), static_cast<Framework>(i)));
        return made;
    }();
#undef LOCKSTEP_ENTRY
    return kRecipes;
}

const Recipe& recipeFor(Framework framework)
{
    return recipes()[static_cast<size_t>(framework)];
}

} // namespace lockstep
