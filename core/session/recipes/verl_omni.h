// SPDX-License-Identifier: Apache-2.0
// Recipe for VeRL-Omni: diffusion training with verl's profiler settings as of release 0.6.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe verlOmniRecipe();

} // namespace lockstep
