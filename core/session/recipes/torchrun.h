// SPDX-License-Identifier: Apache-2.0
// Recipe for torchrun: one launcher per host; nsys wraps either the launcher or each process it starts.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe torchrunRecipe();

} // namespace lockstep
