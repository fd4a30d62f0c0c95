// SPDX-License-Identifier: Apache-2.0
// Recipe for verl: PPO and related algorithms on Ray, profiled through Hydra overrides.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe verlRecipe();

} // namespace lockstep
