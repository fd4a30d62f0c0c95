// SPDX-License-Identifier: Apache-2.0
// Recipe for torchrun: one launcher per host; nsys goes around it or inside it.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe torchrunRecipe();

} // namespace lockstep
