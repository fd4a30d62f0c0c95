// SPDX-License-Identifier: Apache-2.0
// Recipe for NeMo RL: profiled with nsys through NRL_NSYS_* variables.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

Recipe nemoRlRecipe();

} // namespace lockstep
