// SPDX-License-Identifier: Apache-2.0
// The reports written by verl and VeRL-Omni, per role, rank, step and stage. Shared by both recipes. Pure.
// Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files);

} // namespace lockstep
