// SPDX-License-Identifier: Apache-2.0
// Recipe for a plain command: one process per host under nsys or Lockstep capture.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe plainRecipe();

} // namespace lockstep
