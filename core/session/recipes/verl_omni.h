// SPDX-License-Identifier: Apache-2.0
// Recipe for VeRL-Omni: diffusion training on verl's profiler, of verl's new era.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe verlOmniRecipe();

} // namespace lockstep
