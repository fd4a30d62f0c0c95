// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe.h"

namespace lockstep {

std::span<const Recipe> recipes()
{
#define LOCKSTEP_ENTRY(function) function(),
    static const std::array kRecipes{LOCKSTEP_RECIPES(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    return kRecipes;
}

const Recipe& recipeFor(Framework framework)
{
    return recipes()[static_cast<size_t>(framework)];
}

} // namespace lockstep
