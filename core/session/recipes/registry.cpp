// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe.h"

namespace lockstep {

std::span<const Recipe> recipes()
{
    // The recipes are in the order of the Framework enumerators.
    static const std::array kRecipes{verlRecipe(), verlOmniRecipe(), nemoRlRecipe(), torchrunRecipe(),
                                     plainRecipe()};
    return kRecipes;
}

const Recipe& recipeFor(Framework framework)
{
    return recipes()[static_cast<size_t>(framework)];
}

} // namespace lockstep
