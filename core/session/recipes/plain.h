// SPDX-License-Identifier: Apache-2.0
// Recipe for A plain command: one process per host under nsys or Lockstep's own recording.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe plainRecipe();

} // namespace lockstep
