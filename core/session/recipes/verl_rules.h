// SPDX-License-Identifier: Apache-2.0
// The program and the preflight rules shared by verl and VeRL-Omni. Pure. Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the command followed by verl's overrides. Ray's runtime environment passes the Lockstep capture
// variables to the workers.
Result<RecipeProgram> verlProgram(const RecipeInput& input);
void checkVerl(const RecipeInput& input, Findings& findings);
// Checks only the roles: whether each is enabled, whether its settings are read or ignored, and its ranks.
// Part of checkVerl().
void checkVerlRoles(const RecipeInput& input, Findings& findings);

} // namespace lockstep
